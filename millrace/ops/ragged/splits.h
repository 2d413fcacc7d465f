// The splits of ragged tensors: row i of a dimension holds the rows (or values)
// [splits[i], splits[i + 1]) of the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Reads inputs [first, first + count), which must be vectors of int32 or int64.
// Returns INVALID_ARGUMENT otherwise.
StatusOr<std::vector<CountedVector<int64_t>>> ReadSplits(KernelContext& ctx,
                                                         int first, int count);

// Returns INVALID_ARGUMENT unless each of `splits` begins with 0, does not
// decrease, and ends with the number of rows of the next (of values for the
// last).
Status CheckWholeSplits(absl::Span<const CountedVector<int64_t>> splits,
                        int64_t num_values);

// Sets output `i`, a vector of int32 or int64. Returns INVALID_ARGUMENT for
// numbers that do not fit.
Status SetSplits(KernelContext& ctx, int i, absl::Span<const int64_t> splits);

}  // namespace millrace::ops
