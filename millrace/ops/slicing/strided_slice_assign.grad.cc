#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/slicing/strided_slice_masks.grad.h"

namespace millrace::ops {

MR_GRADIENT(TensorStridedSliceUpdate)(GradContext& g) {
  const Output dy = g.dy();
  const Output slice = StridedSlice(g, dy, g.in(1), g.in(2), g.in(3),
                                    SliceMasks<StridedSliceOptions>(g));
  g.Set(0, TensorStridedSliceUpdate(
               g, dy, g.in(1), g.in(2), g.in(3), ZerosLike(g, g.in(4)),
               SliceMasks<TensorStridedSliceUpdateOptions>(g)));
  // The gradient of a broadcast is a sum.
  const Output shape = ShapeOf(g, g.in(4));
  const Output axes = BroadcastGradientArgs(g, ShapeOf(g, slice), shape).r1;
  g.Set(4, Reshape(g, Sum(g, slice, axes, {.keep_dims = true}), shape));
}

}  // namespace millrace::ops
