// Joins and cuts tensors along dimension 0.
#pragma once

#include "absl/types/span.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns the rows of at least one tensor of rank 1 or more, then `padding`
// copies of the first row. Returns INVALID_ARGUMENT if types or the shapes of
// rows differ, or if there is no row to pad with.
StatusOr<Tensor> JoinRows(absl::Span<const Tensor> parts, int64_t padding,
                          Allocator* allocator);

// Returns a copy of the rows [begin, end). Requires: they exist.
StatusOr<Tensor> CutRows(const Tensor& t, int64_t begin, int64_t end,
                         Allocator* allocator);

// Returns `shape`, of rank 1 or more, with another number of rows.
StatusOr<TensorShape> ShapeOfRows(const TensorShape& shape, int64_t rows);

}  // namespace millrace::ops
