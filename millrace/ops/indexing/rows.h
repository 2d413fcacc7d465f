// Rows of a tensor as tensors, and tensors as rows of one, in host memory or in
// that of the kernel's device.
#pragma once

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Returns rows [begin, end) of dimension 0: in the same memory if they are
// aligned, else as a copy. Returns RESOURCE_EXHAUSTED if memory runs out.
StatusOr<Tensor> RowsOf(KernelContext& ctx, const Tensor& t, int64_t begin,
                        int64_t end);
// Returns one row, without dimension 0.
StatusOr<Tensor> RowOf(KernelContext& ctx, const Tensor& t, int64_t row);

// Returns `shape` without its first dimension; unknown for a scalar.
PartialShape RowShape(const PartialShape& shape);

// Returns `shape` with [rows] in front. Returns INVALID_ARGUMENT if it is too
// large.
StatusOr<TensorShape> StackedShape(int64_t rows, const TensorShape& shape);

// Sets output `i` to the concatenation of the values, which have the output's
// type and, together, the number of elements of `shape`.
Status JoinAsOutput(KernelContext& ctx, int i, absl::Span<const Tensor> values,
                    TensorShape shape);

// Allocates a temporary tensor of zeros (empty strings, empty variants).
StatusOr<Tensor> ZeroTemp(KernelContext& ctx, DataType type, TensorShape shape);

}  // namespace millrace::ops
