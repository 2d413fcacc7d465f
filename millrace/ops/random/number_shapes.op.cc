#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {

Status NumbersShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  return c.Return(std::move(shape));
}

Status AnyTypeNumbersShape(ShapeContext& c, int input) {
  MR_RETURN_IF_ERROR(c.WithRank(input, 1).status());
  const Tensor* const value = c.input_value(input);
  if (value != nullptr && value->dtype() != DataType::kInt32 &&
      value->dtype() != DataType::kInt64) {
    return InvalidArgument("Input tensor must be int32 or int64, but was ",
                           DataTypeName(value->dtype()));
  }
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(input));
  return c.Return(std::move(shape));
}

Status SamplesShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape shape, c.ShapeFromInput(0));
  return c.Return(shape.Concatenate(c.input(1)));
}

Status CheckSeed(ShapeContext& c, int input) {
  MR_ASSIGN_OR_RETURN(const PartialShape seed, c.WithRank(input, 1));
  return ShapeContext::WithValue(seed.dim(0), 2).status();
}

}  // namespace millrace::ops
