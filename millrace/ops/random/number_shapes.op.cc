#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {

Status NumbersShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
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
