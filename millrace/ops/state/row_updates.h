// Updates of single rows of variables: scatter, and optimizers with sparse
// gradients.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"

namespace millrace::ops {

// The rows that a kernel updates; index i goes with the i-th row of `updates`.
struct RowUpdates {
  absl::Span<const int64_t> indices;  // within the variables
  int64_t row_bytes = 0;              // of the variables and of `updates`
  const char* updates = nullptr;      // null: nothing that is read in rows
  int64_t row_nanos = 1;              // what f takes for a row in the cache
};

// Calls f(row, i) under the row's lock for each place i of the indices; those
// of one row in order, by one thread. Rows far apart in memory are fetched
// ahead, and rows that share a lock are done together. A cancel ends nothing.
Status ForEachRow(KernelContext& ctx, const VariableRows& rows,
                  const RowUpdates& updates,
                  absl::FunctionRef<void(int64_t row, int64_t i)> f);

}  // namespace millrace::ops
