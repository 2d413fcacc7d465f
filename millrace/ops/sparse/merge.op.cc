#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status AddShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2, 1));
  c.set_output(0, PartialShape({kUnknownDim, shape.dim(0)}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, shape);
  return OkStatus();
}

Status AddGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(2, 2));
  c.set_output(0, PartialShape({a.dim(0)}));
  c.set_output(1, PartialShape({b.dim(0)}));
  return OkStatus();
}

Status ExtremeShape(ShapeContext& c) {
  for (int i = 0; i < 6; ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, i % 3 == 0 ? 2 : 1).status());
  }
  c.set_output(0, PartialShape({kUnknownDim, kUnknownDim}));
  c.set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace

#define MR_TWO_SPARSE                                                 \
  "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, " \
  "b_values: T, b_shape: int64"

MR_OP(SparseAdd){
    .inputs = MR_TWO_SPARSE ", thresh: Treal",
    .outputs = "sum_indices: int64, sum_values: T, sum_shape: int64",
    .attrs = "T: numbertype; Treal: realnumbertype",
    .shape = AddShape,
    .doc =
        "The sum of two sparse tensors whose entries are in row-major order. "
        "Where both have an entry, the sum is left out if its magnitude is "
        "below `thresh`.",
};
MR_OP(SparseAddGrad){
    .inputs =
        "backprop_val_grad: T, a_indices: int64, b_indices: int64, "
        "sum_indices: int64",
    .outputs = "a_val_grad: T, b_val_grad: T",
    .attrs = "T: numbertype",
    .shape = AddGradShape,
    .doc =
        "The gradients of SparseAdd: zero for entries that the sum left out.",
};
MR_OP(SparseSparseMaximum){
    .inputs = MR_TWO_SPARSE,
    .outputs = "output_indices: int64, output_values: T",
    .attrs = "T: realnumbertype",
    .shape = ExtremeShape,
    .doc =
        "The larger of the elements where one of two sparse tensors has an "
        "entry; both have their entries in row-major order.",
};
MR_OP(SparseSparseMinimum){
    .inputs = MR_TWO_SPARSE,
    .outputs = "output_indices: int64, output_values: T",
    .attrs = "T: numbertype",
    .shape = ExtremeShape,
    .doc =
        "The smaller of the elements where one of two sparse tensors has an "
        "entry; both have their entries in row-major order.",
};

}  // namespace millrace::ops
