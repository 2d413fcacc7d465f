#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status MatrixOfAnySize(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  return c.Return({kUnknownDim, kUnknownDim});
}

Status MatrixOfAnySizeTransposed(ShapeContext& c) {
  return c.Return({kUnknownDim, kUnknownDim});
}

}  // namespace

MR_OP(_SlicedProduct){
    .inputs = "a: T, b: T, begin: Index, size: Index, transposed: N * T",
    .outputs = "slice: T",
    .attrs =
        "T: {half, bfloat16, float, double}; Index: {int32, int64}; N: int >= "
        "0 = 0; transpose_a: bool = false; transpose_b: bool = false",
    .shape = MatrixOfAnySize,
    .doc =
        "A part of the product of two matrices, without the rest of it. With "
        "transpose_b there may be the transposed b, too, for products that "
        "share it. Made by graph rewriting when a graph is compiled; no graph "
        "from outside has it.",
};
MR_OP(_TransposedMatrix){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {float}",
    .shape = MatrixOfAnySizeTransposed,
    .doc =
        "The transposed matrix; nothing of what is no matrix. Made by graph "
        "rewriting when a graph is compiled; no graph from outside has it.",
};

}  // namespace millrace::ops
