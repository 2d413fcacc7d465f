#include "millrace/ops/pooling/pool.op.h"

namespace millrace::ops {
namespace {

template <int kRank>
Status ShapeOfSizes(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  MR_ASSIGN_OR_RETURN(shape, ShapeContext::WithRank(shape, kRank));
  return c.Return(std::move(shape));
}

}  // namespace

#define MR_FLOATS "; T: {half, bfloat16, float, double}"

MR_OP(AvgPool){
    .inputs = "value: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_POOL_PADDING MR_POOL_FORMAT MR_FLOATS,
    .shape = Pool2DShape,
    .doc = "The mean of each window; padding does not count.",
};
MR_OP(AvgPoolGrad){
    .inputs = "orig_input_shape: int32, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_POOL_PADDING MR_POOL_FORMAT MR_FLOATS,
    .shape = ShapeOfSizes<4>,
    .doc = "The gradient of AvgPool.",
};
MR_OP(AvgPool3D){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("5") MR_POOL_PADDING MR_POOL_FORMAT_3D MR_FLOATS,
    .shape = Pool3DShape,
    .doc = "AvgPool of volumes.",
};
MR_OP(AvgPool3DGrad){
    .inputs = "orig_input_shape: int32, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("5") MR_POOL_PADDING MR_POOL_FORMAT_3D MR_FLOATS,
    .shape = ShapeOfSizes<5>,
    .doc = "The gradient of AvgPool3D.",
};

}  // namespace millrace::ops
