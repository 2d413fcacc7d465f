// The checks of SparseFillEmptyRows and its gradient, on all devices.
#pragma once

#include <cstdint>

#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {

// Checks the inputs, of which the dense shape alone lies in host memory.
// Returns the number of rows.
inline StatusOr<int64_t> RowsToFill(const KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(1);
  const Tensor &shape = ctx.input(2), &default_value = ctx.input(3);
  if (shape.rank() != 1) {
    return InvalidArgument("dense_shape must be a vector, saw: ",
                           shape.shape().DebugString());
  }
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, saw: ",
                           indices.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: ",
                           values.shape().DebugString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `indices` (",
                           indices.dim(0), ").");
  }
  if (default_value.rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: ",
                           default_value.shape().DebugString());
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("The length of `dense_shape` (", shape.dim(0),
                           ") must match the second dimension of `indices` (",
                           indices.dim(1), ").");
  }
  if (shape.dim(0) == 0) return InvalidArgument("Dense shape cannot be empty.");
  MR_RETURN_IF_ERROR(CheckSparseParts(indices, values, shape, {}));
  const int64_t rows = shape.flat<int64_t>()[0];
  if (rows < 0) {
    return InvalidArgument("dense_shape[0] must be >= 0, but is ", rows);
  }
  if (rows == 0 && indices.dim(0) > 0) {
    return InvalidArgument(
        "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ",
        indices.dim(0));
  }
  return rows;
}
inline Status BadRow(int64_t entry, int64_t row, int64_t rows) {
  return InvalidArgument("indices(", entry, ", 0) is invalid: ", row,
                         " >= ", rows);
}

inline Status CheckFilledGrad(const Tensor& map, const Tensor& grad) {
  if (map.rank() != 1) {
    return InvalidArgument("reverse_index_map must be a vector, saw: ",
                           map.shape().DebugString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("grad_values must be a vector, saw: ",
                           grad.shape().DebugString());
  }
  return OkStatus();
}
inline Status BadReverseIndex(int64_t place, int64_t total) {
  return InvalidArgument("Elements in reverse index must be in [0, ", total,
                         ") but got ", place);
}

}  // namespace millrace::ops
