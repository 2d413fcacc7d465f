#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(TensorStridedSliceUpdate)(GradContext& g) {
  const auto begin_mask = g.Attr<int64_t>("begin_mask");
  const auto end_mask = g.Attr<int64_t>("end_mask");
  const auto ellipsis_mask = g.Attr<int64_t>("ellipsis_mask");
  const auto new_axis_mask = g.Attr<int64_t>("new_axis_mask");
  const auto shrink_axis_mask = g.Attr<int64_t>("shrink_axis_mask");
  const Output dy = g.dy();
  const Output slice = StridedSlice(g, dy, g.in(1), g.in(2), g.in(3),
                                    {.begin_mask = begin_mask,
                                     .end_mask = end_mask,
                                     .ellipsis_mask = ellipsis_mask,
                                     .new_axis_mask = new_axis_mask,
                                     .shrink_axis_mask = shrink_axis_mask});
  g.Set(0, TensorStridedSliceUpdate(g, dy, g.in(1), g.in(2), g.in(3),
                                    ZerosLike(g, g.in(4)),
                                    {.begin_mask = begin_mask,
                                     .end_mask = end_mask,
                                     .ellipsis_mask = ellipsis_mask,
                                     .new_axis_mask = new_axis_mask,
                                     .shrink_axis_mask = shrink_axis_mask}));
  // What was broadcast comes back as a sum.
  const Output shape = ShapeOf(g, g.in(4));
  const Output axes = BroadcastGradientArgs(g, ShapeOf(g, slice), shape).r1;
  g.Set(4, Reshape(g, Sum(g, slice, axes, {.keep_dims = true}), shape));
}

}  // namespace millrace::ops
