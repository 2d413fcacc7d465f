#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Sets the shape that all variables have, if it is wholly known.
Status ChosenShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  const PartialShape& first = c.input(1);
  if (!first.IsFullyDefined()) return c.Return(PartialShape());
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (!(c.input(i) == first)) return c.Return(PartialShape());
  }
  return c.Return(first);
}

}  // namespace

MR_OP(RefSelect){
    .inputs = "index: int32, inputs: N * Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = "T: type; N: int >= 1",
    .shape = ChosenShape,
    .doc = "Passes on the reference that `index` chooses.",
};

}  // namespace millrace::ops
