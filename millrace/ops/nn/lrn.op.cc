#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status LrnShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, 4));
  return c.Return(std::move(input));
}

Status LrnGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape,
                      ShapeContext::MergeShapes(c.input(0), c.input(1)));
  MR_ASSIGN_OR_RETURN(shape, ShapeContext::MergeShapes(shape, c.input(2)));
  MR_ASSIGN_OR_RETURN(shape, ShapeContext::WithRank(shape, 4));
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(LRN){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: "
        "float = 0.5; T: {half, bfloat16, float} = 'float'",
    .shape = LrnShape,
    .doc = "Divides by a power of the sum of squares of the channels around.",
};
MR_OP(LRNGrad){
    .inputs = "input_grads: T, input_image: T, output_image: T",
    .outputs = "output: T",
    .attrs =
        "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: "
        "float = 0.5; T: {half, bfloat16, float} = 'float'",
    .shape = LrnGradShape,
    .doc = "The gradient of LRN.",
};

}  // namespace millrace::ops
