#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

using namespace millrace;  // NOLINT: declarations stand outside

namespace {

Status MatrixOfAnySize(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  return c.Return({kUnknownDim, kUnknownDim});
}

}  // namespace

MR_OP(_SlicedProduct){
    .inputs = "a: T, b: T, begin: Index, size: Index",
    .outputs = "slice: T",
    .attrs =
        "T: {half, bfloat16, float, double}; Index: {int32, int64}; "
        "transpose_a: bool = false; transpose_b: bool = false",
    .shape = MatrixOfAnySize,
    .doc =
        "A part of the product of two matrices, without the rest of it. Made "
        "by graph rewriting when a graph is compiled; no graph from outside "
        "has it.",
};
