// Sparse updates of variables: scatters, and optimizers with sparse gradients.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"

namespace millrace::ops {

// The rows that a kernel updates; index i belongs to the i-th row of `updates`.
struct SparseUpdates {
  absl::Span<const int64_t> indices;  // in the bounds of the variables
  int64_t row_bytes = 0;          // of a row of the variables and of `updates`
  const char* updates = nullptr;  // null: nothing is read by row
  int64_t row_nanos = 1;          // time of f for a row in the cache
};

// Calls f(row, i) under the row's lock for each position i of the indices.
// Positions of the same row are processed in order, by one thread. Rows far
// apart in memory are prefetched, and rows that share a lock are processed
// together. A cancellation does not end the call.
Status ForEachRow(KernelContext& ctx, const VariableRows& rows,
                  const SparseUpdates& updates,
                  absl::FunctionRef<void(int64_t row, int64_t i)> f);

}  // namespace millrace::ops
