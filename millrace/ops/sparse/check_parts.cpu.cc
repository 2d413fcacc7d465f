// The checks of a sparse tensor's parts, in the words of each op.
#include "absl/strings/str_join.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {
namespace {

Status CheckInputRanks(const Tensor& indices, const Tensor& values,
                       const Tensor& shape) {
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape ",
        indices.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape ",
        values.shape().DebugString());
  }
  if (shape.rank() == 1) return OkStatus();
  return InvalidArgument("Input shape should be a vector but received shape ",
                         shape.shape().DebugString());
}

Status CheckOperandRanks(const Tensor& indices, const Tensor& values,
                         const Tensor& shape) {
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input sp_indices should be a matrix but received shape: ",
        indices.shape().DebugString());
  }
  if (values.rank() == 1 && shape.rank() == 1) return OkStatus();
  return InvalidArgument(
      "Inputs sp_values and sp_shape should be vectors but received shapes: ",
      values.shape().DebugString(), " and ", shape.shape().DebugString());
}

Status CheckSparseRank(absl::string_view what, const Tensor& t, int rank) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument("Sparse ", what, " must be rank ", rank,
                         " but is rank ", t.rank());
}

Status RowsDiffer(const Tensor& indices, const Tensor& values,
                  SizeWords words) {
  const int64_t rows = indices.rank() == 0 ? 0 : indices.dim(0);
  const int64_t count = values.dim(0);
  switch (words) {
    case SizeWords::kTensor:
      return InvalidArgument(
          "indices and values rows (indexing dimension) must match. (indices "
          "= ",
          rows, ", values = ", count, ")");
    case SizeWords::kOperand:
      return InvalidArgument(
          "The first dimension of values and indices should match. (", count,
          " vs. ", rows, ")");
    case SizeWords::kBatch:
      return InvalidArgument(
          "Number of values must match first dimension of indices. Got ", count,
          " values, indices shape: ", indices.shape().DebugString());
    case SizeWords::kSerialized:
      return InvalidArgument(
          "Expected row counts of SparseTensor[0].indices and "
          "SparseTensor[0].values to match but they do not: ",
          rows, " vs. ", count);
    case SizeWords::kSparse:
      break;
  }
  return InvalidArgument("Number of elements in indices (", rows,
                         ") and values (", count, ") do not match");
}

Status ColumnsDiffer(const Tensor& indices, int64_t rank, SizeWords words) {
  const int64_t columns = indices.dim(1);
  switch (words) {
    case SizeWords::kTensor:
      return InvalidArgument(
          "Order length must be SparseTensor rank. Columns of indices: ",
          columns, ", dimensions of the shape: ", rank);
    case SizeWords::kOperand:
    case SizeWords::kBatch:
      return InvalidArgument(
          "Number of dimensions must match second dimension of indices. Got ",
          rank, " dimensions, indices shape: ", indices.shape().DebugString());
    case SizeWords::kSerialized:
      return InvalidArgument(
          "Expected column counts of SparseTensor[0].indices to match size of "
          "SparseTensor[0].shape but they do not: ",
          columns, " vs. ", rank);
    case SizeWords::kSparse:
      break;
  }
  return InvalidArgument("Index rank (", columns, ") and shape rank (", rank,
                         ") do not match");
}

// Checks ranks as stock's class does, which compares rows first.
Status CheckTensorRanks(const Tensor& indices, const Tensor& values,
                        const Tensor& shape) {
  if (values.rank() != 1) {
    return InvalidArgument("vals must be a vec, but got: ",
                           values.shape().DebugString());
  }
  if (indices.rank() == 0 || indices.dim(0) != values.dim(0)) {
    return RowsDiffer(indices, values, SizeWords::kTensor);
  }
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, but got: ",
                           indices.shape().DebugString());
  }
  if (shape.rank() == 1) return OkStatus();
  return InvalidArgument("Shape must be a 1D tensor, but got: ",
                         shape.shape().DebugString());
}

Status CheckRanks(const Tensor& indices, const Tensor& values,
                  const Tensor& shape, PartWords words) {
  switch (words) {
    case PartWords::kInput:
      return CheckInputRanks(indices, values, shape);
    case PartWords::kTensor:
      return CheckTensorRanks(indices, values, shape);
    case PartWords::kOperand:
      return CheckOperandRanks(indices, values, shape);
    case PartWords::kSparse:
      break;
  }
  MR_RETURN_IF_ERROR(CheckSparseRank("indices", indices, 2));
  MR_RETURN_IF_ERROR(CheckSparseRank("values", values, 1));
  return CheckSparseRank("shape", shape, 1);
}

}  // namespace

Status CheckParts(const Tensor& indices, const Tensor& values,
                  const Tensor& shape, SparseWords words) {
  MR_RETURN_IF_ERROR(CheckRanks(indices, values, shape, words.parts));
  if (indices.dim(0) != values.dim(0)) {
    return RowsDiffer(indices, values, words.sizes);
  }
  if (indices.dim(1) != shape.dim(0)) {
    return ColumnsDiffer(indices, shape.dim(0), words.sizes);
  }
  return OkStatus();
}

StatusOr<TensorShape> DenseShape(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t d : dims) {
    if (d < 0) {
      return InvalidArgument(
          "Expected shape dimensions to be non-negative, got ", d);
    }
  }
  for (const int64_t d : dims) {
    if (!__builtin_mul_overflow(product, d, &product)) continue;
    return InvalidArgument("Encountered overflow when multiplying ",
                           absl::StrJoin(dims, " with "));
  }
  return TensorShape::Make(dims);
}

Status CheckTuples(const SparseEntries& entries) {
  for (int64_t i = 0; i < entries.count; ++i) {
    const auto row =
        absl::MakeConstSpan(entries.at(i), static_cast<size_t>(entries.rank));
    for (size_t d = 0; d < row.size(); ++d) {
      if (row[d] >= 0 && row[d] < entries.dims[d]) continue;
      return InvalidArgument("Sparse index tuple indices[", i, ", :] = [",
                             absl::StrJoin(row, ", "),
                             "] is out of bounds: the shape is [",
                             absl::StrJoin(entries.dims, ", "), "]");
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
