// The checks of SparseToDense, the same on any device.
#pragma once

#include <cstdint>

#include "absl/strings/str_join.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {

inline int64_t NumDenseEntries(const Tensor& indices) {
  return indices.rank() > 0 ? indices.dim(0) : 1;
}

// Checks the shapes of the inputs, and returns that of the output.
inline StatusOr<TensorShape> SparseToDenseShape(const KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& shape = ctx.input(1);
  const Tensor& values = ctx.input(2);
  if (indices.rank() > 2) {
    return InvalidArgument(
        "sparse_indices should be a scalar, vector, or matrix, got shape ",
        indices.shape().DebugString());
  }
  const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
  if (shape.rank() != 1) {
    return InvalidArgument("output_shape must be rank 1, got shape ",
                           shape.shape().DebugString());
  }
  if (shape.num_elements() != rank) {
    return InvalidArgument("output_shape has incorrect number of elements: ",
                           shape.num_elements(), " should be: ", rank);
  }
  const int64_t count = NumDenseEntries(indices);
  if (values.rank() != 0 && (values.rank() != 1 || values.dim(0) != count)) {
    return InvalidArgument("sparse_values has incorrect shape ",
                           values.shape().DebugString(), ", should be [] or [",
                           count, "]");
  }
  if (ctx.input(3).rank() != 0) {
    return InvalidArgument("default_value should be a scalar.");
  }
  return ShapeFromTensor(shape);
}

// The ways in which an entry may be wrong.
enum class BadEntry { kOutOfBounds, kRepeated, kOutOfOrder };

// Returns the error of entry i, whose coordinates are `row`. Without
// `validate`, only bounds are checked, and the error names no entry.
inline Status BadEntryError(BadEntry bad, int64_t i,
                            absl::Span<const int64_t> row,
                            const TensorShape& shape, bool validate) {
  if (!validate) {
    return InvalidArgument("Indices are not valid (out of bounds).  Shape: ",
                           shape.DebugString());
  }
  if (bad == BadEntry::kOutOfBounds) return OutOfBounds(i, row, shape.dims());
  return InvalidArgument("indices[", i, "] is ",
                         bad == BadEntry::kRepeated
                             ? "repeated"
                             : "out of order. Many sparse ops require sorted "
                               "indices; SparseReorder gives them",
                         ": [", absl::StrJoin(row, ","), "]");
}

}  // namespace millrace::ops
