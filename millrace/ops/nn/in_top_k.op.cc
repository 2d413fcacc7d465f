#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status InTopKShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape predictions, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape targets, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(
      const int64_t batch,
      ShapeContext::MergeDims(predictions.dim(0), targets.dim(0)));
  return c.Return(PartialShape({batch}));
}

}  // namespace

MR_OP(InTopK){
    .inputs = "predictions: float, targets: T",
    .outputs = "precision: bool",
    .attrs = "k: int; T: {int32, int64} = int32",
    .shape = InTopKShape,
    .doc =
        "Returns whether each target's prediction is among the k largest of "
        "its row; ties count as inside.",
};

MR_OP(InTopKV2){
    .inputs = "predictions: float, targets: T, k: T",
    .outputs = "precision: bool",
    .attrs = "T: {int32, int64} = int32",
    .shape = InTopKShape,
    .doc = "InTopK with k as an input.",
};

}  // namespace millrace::ops
