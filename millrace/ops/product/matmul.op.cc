#include "millrace/ops/product/matmul.op.h"

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

Status MatMulShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape a, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(PartialShape b, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(bool transpose_a, c.Attr<bool>("transpose_a"));
  MR_ASSIGN_OR_RETURN(bool transpose_b, c.Attr<bool>("transpose_b"));
  MR_RETURN_IF_ERROR(ShapeContext::MergeDims(a.dim(transpose_a ? 0 : 1),
                                             b.dim(transpose_b ? 1 : 0))
                         .status());
  return c.Return({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
}

namespace {

// Says whether batch dimensions must be equal, or broadcast as in other ops.
enum class Batches { kEqual, kBroadcast };

Status BatchShape(ShapeContext& c, Batches batches) {
  MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, 2));
  MR_ASSIGN_OR_RETURN(PartialShape y, c.WithRankAtLeast(1, 2));
  if (!x.known_rank() || !y.known_rank()) return c.Return(PartialShape());
  MR_ASSIGN_OR_RETURN(bool adj_x, c.Attr<bool>("adj_x"));
  MR_ASSIGN_OR_RETURN(bool adj_y, c.Attr<bool>("adj_y"));
  const int xr = x.rank();
  const int yr = y.rank();
  MR_RETURN_IF_ERROR(ShapeContext::MergeDims(x.dim(adj_x ? xr - 2 : xr - 1),
                                             y.dim(adj_y ? yr - 1 : yr - 2))
                         .status());
  const PartialShape x_batch(x.dims().first(xr - 2));
  const PartialShape y_batch(y.dims().first(yr - 2));
  MR_ASSIGN_OR_RETURN(PartialShape batch,
                      batches == Batches::kBroadcast
                          ? shapes::BroadcastShapes(x_batch, y_batch)
                          : ShapeContext::MergeShapes(x_batch, y_batch));
  if (!batch.known_rank()) return c.Return(PartialShape());
  return c.Return(batch.Concatenate(
      {x.dim(adj_x ? xr - 1 : xr - 2), y.dim(adj_y ? yr - 2 : yr - 1)}));
}

}  // namespace

MR_OP(MatMul){
    .inputs = "a: T, b: T",
    .outputs = "product: T",
    .attrs =
        "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, "
        "half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
        "complex64, complex128}; grad_a: bool = false; grad_b: bool = false",
    .shape = MatMulShape,
    .doc =
        "The matrix product of a and b, each transposed first if its attribute "
        "says so. grad_a and grad_b say that an operand is a gradient, and "
        "change nothing.",
};

MR_OP(BatchMatMul){
    .inputs = "x: T, y: T",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: bool = "
        "false; grad_y: bool = false",
    .shape = [](ShapeContext& c) { return BatchShape(c, Batches::kEqual); },
    .doc =
        "Matrix products over the last two dimensions; the others are equal. "
        "adj_x, adj_y: the operand is transposed and conjugated first.",
};

MR_OP(BatchMatMulV2){
    .inputs = "x: T, y: T",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, complex64, complex128}; adj_x: bool = false; "
        "adj_y: bool = false; grad_x: bool = false; grad_y: bool = false",
    .shape = [](ShapeContext& c) { return BatchShape(c, Batches::kBroadcast); },
    .doc =
        "Matrix products over the last two dimensions; the others broadcast. "
        "adj_x, adj_y: the operand is transposed and conjugated first.",
};

}  // namespace millrace::ops
