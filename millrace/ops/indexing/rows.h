// Rows of a tensor as tensors of their own, and tensors as rows of one.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Rows [begin, end) of dimension 0: in the same memory where they are aligned,
// else a copy. RESOURCE_EXHAUSTED.
StatusOr<Tensor> RowsOf(KernelContext& ctx, const Tensor& t, int64_t begin,
                        int64_t end);
// One row, without dimension 0.
StatusOr<Tensor> RowOf(KernelContext& ctx, const Tensor& t, int64_t row);

// `shape` without its first dimension; unknown for a scalar.
PartialShape RowShape(const PartialShape& shape);

// [rows] in front of a shape. INVALID_ARGUMENT if it gets too large.
StatusOr<TensorShape> StackedShape(int64_t rows, const TensorShape& shape);

// The values, which have the output's type and all elements of `shape`, one
// after the other as output `i`.
Status JoinAsOutput(KernelContext& ctx, int i,
                    const std::vector<Tensor>& values, TensorShape shape);

// Zeros (empty strings, nothing in variants) of this type.
StatusOr<Tensor> ZeroTemp(KernelContext& ctx, DataType type, TensorShape shape);

}  // namespace millrace::ops
