// Schemas of sets along the last dimension.
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Sets the outputs to entries of `rank` coordinates, if that is known.
Status ReturnSets(ShapeContext& c, int64_t rank) {
  c.set_output(0, PartialShape({kUnknownDim, rank}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({rank}));
  return OkStatus();
}

// Returns the rank of a sparse tensor in inputs first, first + 1 and first + 2.
StatusOr<int64_t> SparseRank(ShapeContext& c, int first) {
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(indices.dim(0), values.dim(0)).status());
  return ShapeContext::MergeDims(indices.dim(1), shape.dim(0));
}

Status DenseToDense(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRankAtLeast(0, 2));
  if (!a.known_rank()) {
    MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRankAtLeast(1, 2));
    return ReturnSets(c, b.known_rank() ? b.rank() : kUnknownDim);
  }
  MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, a.rank()));
  MR_ASSIGN_OR_RETURN(const PartialShape rows_a,
                      ShapeContext::Subshape(a, 0, -1));
  MR_ASSIGN_OR_RETURN(const PartialShape rows_b,
                      ShapeContext::Subshape(b, 0, -1));
  MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(rows_a, rows_b).status());
  return ReturnSets(c, a.rank());
}

Status DenseToSparse(ShapeContext& c) {
  MR_RETURN_IF_ERROR(SparseRank(c, 1).status());
  const int64_t rank = ShapeContext::Dim(c.input(3), 0);
  MR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRankAtLeast(0, 2));
  if (!a.known_rank()) return ReturnSets(c, rank);
  MR_RETURN_IF_ERROR(ShapeContext::WithValue(rank, a.rank()).status());
  return ReturnSets(c, a.rank());
}

Status SparseToSparse(ShapeContext& c) {
  MR_RETURN_IF_ERROR(SparseRank(c, 0).status());
  MR_RETURN_IF_ERROR(SparseRank(c, 3).status());
  int64_t rank = kUnknownDim;
  for (int i = 0; i < 2; ++i) {
    const int64_t own = ShapeContext::Dim(c.input(3 * i + 2), 0);
    if (own == kUnknownDim) continue;
    if (rank == kUnknownDim && own < 2) {
      return InvalidArgument("Input ", i, ", expected rank >= 2, got ", own,
                             ".");
    }
    MR_ASSIGN_OR_RETURN(rank, ShapeContext::MergeDims(rank, own));
  }
  return ReturnSets(c, rank);
}

}  // namespace

#define MR_SET_TYPES "T: {int8, int16, int32, int64, uint8, uint16, string}"
#define MR_SET_OPERATION \
  "set_operation: string; validate_indices: bool = true; " MR_SET_TYPES
#define MR_SETS_OUT \
  "result_indices: int64, result_values: T, result_shape: int64"
#define MR_SETS_DOC                                                         \
  "Rows along the last dimension as sets: 'a-b', 'b-a', 'intersection' or " \
  "'union' of each two, ascending, as a sparse tensor."

MR_OP(SetSize){
    .inputs = "set_indices: int64, set_values: T, set_shape: int64",
    .outputs = "size: int32",
    .attrs = "validate_indices: bool = true; " MR_SET_TYPES,
    .shape = shapes::Unknown,
    .doc = "Counts the different elements of each row.",
};
MR_OP(DenseToDenseSetOperation){
    .inputs = "set1: T, set2: T",
    .outputs = MR_SETS_OUT,
    .attrs = MR_SET_OPERATION,
    .shape = DenseToDense,
    .doc = MR_SETS_DOC,
};
MR_OP(DenseToSparseSetOperation){
    .inputs = "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
    .outputs = MR_SETS_OUT,
    .attrs = MR_SET_OPERATION,
    .shape = DenseToSparse,
    .doc = MR_SETS_DOC,
};
MR_OP(SparseToSparseSetOperation){
    .inputs =
        "set1_indices: int64, set1_values: T, set1_shape: int64, "
        "set2_indices: int64, set2_values: T, set2_shape: int64",
    .outputs = MR_SETS_OUT,
    .attrs = MR_SET_OPERATION,
    .shape = SparseToSparse,
    .doc = MR_SETS_DOC,
};

}  // namespace millrace::ops
