// Gradients of taking parts of tensors, and of putting edges around them.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

void PadGradient(GradContext& g) {
  const Output paddings = g.in(1);
  const Output begin = Reshape(g,
                               StridedSlice(g, paddings, {0, 0}, {0, 1}, {1, 1},
                                            {.begin_mask = 3, .end_mask = 1}),
                               {-1});
  g.Set(0, Slice(g, g.dy(), begin, ShapeOf(g, g.in(0), begin.dtype())));
}

StridedSliceOptions Masks(GradContext& g) {
  return {.begin_mask = g.Attr<int64_t>("begin_mask"),
          .end_mask = g.Attr<int64_t>("end_mask"),
          .ellipsis_mask = g.Attr<int64_t>("ellipsis_mask"),
          .new_axis_mask = g.Attr<int64_t>("new_axis_mask"),
          .shrink_axis_mask = g.Attr<int64_t>("shrink_axis_mask")};
}

}  // namespace

MR_GRADIENT(Slice)(GradContext& g) {
  const DataType index = g.in(1).dtype();
  const Output before = g.in(1);
  const Output taken = ShapeOf(g, g.out(), index);
  const Output after =
      Sub(g, Sub(g, ShapeOf(g, g.in(0), index), taken), before);
  g.Set(0, Pad(g, g.dy(), Pack(g, {before, after}, {.axis = 1})));
}

MR_GRADIENT(StridedSlice)(GradContext& g) {
  const StridedSliceOptions masks = Masks(g);
  const DataType index = g.in(1).dtype();
  // Shapes are int32 or int64; int16 indices take a cast.
  const bool narrow = index == DataType::kInt16;
  Output shape = ShapeOf(g, g.in(0), narrow ? DataType::kInt32 : index);
  if (narrow) shape = Cast(g, shape, index);
  g.Set(0, StridedSliceGrad(g, shape, g.in(1), g.in(2), g.in(3), g.dy(),
                            {.begin_mask = masks.begin_mask,
                             .end_mask = masks.end_mask,
                             .ellipsis_mask = masks.ellipsis_mask,
                             .new_axis_mask = masks.new_axis_mask,
                             .shrink_axis_mask = masks.shrink_axis_mask}));
}
MR_GRADIENT(StridedSliceGrad)(GradContext& g) {
  g.Set(4, StridedSlice(g, g.dy(), g.in(1), g.in(2), g.in(3), Masks(g)));
}

MR_GRADIENT(Pad)(GradContext& g) { PadGradient(g); }
MR_GRADIENT(PadV2)(GradContext& g) { PadGradient(g); }
MR_GRADIENT(MirrorPad)(GradContext& g) {
  g.Set(0, MirrorPadGrad(g, g.dy(), g.in(1), g.Attr<std::string>("mode")));
}
MR_GRADIENT(MirrorPadGrad)(GradContext& g) {
  g.Set(0, MirrorPad(g, g.dy(), g.in(1), g.Attr<std::string>("mode")));
}

}  // namespace millrace::ops
