// The checks of LowerBound and UpperBound, the same on any device.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

inline Status CheckSearched(const Tensor& t, const char* name) {
  if (t.rank() == 2) return OkStatus();
  return InvalidArgument("Shape must be rank 2 but is rank ", t.rank(),
                         " for `", name, "` argument");
}

// Checks both inputs: sorted rows, and the values that are looked for in them.
inline Status CheckSearch(const KernelContext& ctx) {
  const Tensor& sorted = ctx.input(0);
  const Tensor& values = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckSearched(sorted, "sorted_inputs"));
  MR_RETURN_IF_ERROR(CheckSearched(values, "values"));
  if (sorted.dim(0) != values.dim(0)) {
    return InvalidArgument("Leading dim_size of both tensors must match.");
  }
  const int64_t length = sorted.dim(1);
  if (ctx.output_type(0) == DataType::kInt32 &&
      length >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(
        "trailing dim_size must less than INT_MAX for int32 output type, was ",
        length);
  }
  return OkStatus();
}

}  // namespace millrace::ops
