#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ConcatShape(ShapeContext& c) {
  int64_t rows = 0;
  int64_t columns = kUnknownDim;
  PartialShape shape;
  const int n = c.num_inputs() / 3;
  for (int i = 0; i < n; ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(i, 2));
    MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(i + n, 1));
    MR_ASSIGN_OR_RETURN(const PartialShape sizes, c.WithRank(i + 2 * n, 1));
    MR_ASSIGN_OR_RETURN(const int64_t count,
                        ShapeContext::MergeDims(indices.dim(0), values.dim(0)));
    MR_ASSIGN_OR_RETURN(rows, ShapeContext::AddDims(rows, count));
    MR_ASSIGN_OR_RETURN(columns,
                        ShapeContext::MergeDims(columns, indices.dim(1)));
    MR_ASSIGN_OR_RETURN(shape, ShapeContext::MergeShapes(shape, sizes));
  }
  c.set_output(0, PartialShape({rows, columns}));
  c.set_output(1, PartialShape({rows}));
  c.set_output(2, shape);
  return OkStatus();
}

Status SplitShape(ShapeContext& c) {
  const int n = c.num_outputs() / 3;
  for (int i = 0; i < n; ++i) {
    c.set_output(i, PartialShape({kUnknownDim, c.input(3).num_elements()}));
    c.set_output(i + n, PartialShape({kUnknownDim}));
    c.set_output(i + 2 * n, c.input(3));
  }
  return OkStatus();
}

Status SliceShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  for (int i = 1; i < 5; ++i) MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  c.set_output(0, PartialShape({kUnknownDim, c.input(2).num_elements()}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, c.input(2));
  return OkStatus();
}

}  // namespace

MR_OP(SparseConcat){
    .inputs = "indices: N * int64, values: N * T, shapes: N * int64",
    .outputs = "output_indices: int64, output_values: T, output_shape: int64",
    .attrs = "concat_dim: int; N: int >= 2; T: type",
    .shape = ConcatShape,
    .doc =
        "The tensors one after another along a dimension, which may count from "
        "the end; entries come out in row-major order.",
};

MR_OP(SparseSplit){
    .inputs = "split_dim: int64, indices: int64, values: T, shape: int64",
    .outputs =
        "output_indices: num_split * int64, output_values: num_split * T, "
        "output_shape: num_split * int64",
    .attrs = "num_split: int >= 1; T: type",
    .shape = SplitShape,
    .doc =
        "Cuts a tensor into parts along a dimension; the first ones are longer "
        "by one where it does not divide evenly.",
};

MR_OP(SparseSlice){
    .inputs =
        "indices: int64, values: T, shape: int64, start: int64, size: int64",
    .outputs = "output_indices: int64, output_values: T, output_shape: int64",
    .attrs = "T: type",
    .shape = SliceShape,
    .doc =
        "The entries from `start`, at most `size` of each dimension; what lies "
        "beyond the tensor is left out.",
};

MR_OP(SparseSliceGrad){
    .inputs =
        "backprop_val_grad: T, input_indices: int64, input_start: int64, "
        "output_indices: int64",
    .outputs = "val_grad: T",
    .attrs = "T: numbertype",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 2));
      return c.Return(PartialShape({indices.dim(0)}));
    },
    .doc = "The gradient of SparseSlice: zero for entries left out.",
};

}  // namespace millrace::ops
