#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/slicing/strided_slice_masks.grad.h"

namespace millrace::ops {

MR_GRADIENT(StridedSlice)(GradContext& g) {
  const DataType index = g.in(1).dtype();
  // Shapes are int32 or int64; int16 indices need a cast.
  const bool narrow = index == DataType::kInt16;
  Output shape = ShapeOf(g, g.in(0), narrow ? DataType::kInt32 : index);
  if (narrow) shape = Cast(g, shape, index);
  g.Set(0, StridedSliceGrad(g, shape, g.in(1), g.in(2), g.in(3), g.dy(),
                            SliceMasks<StridedSliceGradOptions>(g)));
}

MR_GRADIENT(StridedSliceGrad)(GradContext& g) {
  g.Set(4, StridedSlice(g, g.dy(), g.in(1), g.in(2), g.in(3),
                        SliceMasks<StridedSliceOptions>(g)));
}

}  // namespace millrace::ops
