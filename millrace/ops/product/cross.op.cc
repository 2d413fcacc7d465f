#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status CrossShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape s,
                      ShapeContext::MergeShapes(c.input(0), c.input(1)));
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtLeast(s, 1).status());
  if (s.known_rank()) {
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeDims(s.dim(s.rank() - 1), 3).status());
  }
  return c.Return(s);
}

}  // namespace

MR_OP(Cross){
    .inputs = "a: T, b: T",
    .outputs = "product: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}",
    .shape = CrossShape,
    .doc =
        "The cross products of vectors of three elements, which are the last "
        "dimension.",
};

}  // namespace millrace::ops
