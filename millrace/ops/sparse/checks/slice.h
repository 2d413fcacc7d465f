// The checks of SparseSlice, on all devices.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {

// `what` is how an error of its rank calls it, `name` one of its length.
inline Status CheckSliceLength(const Tensor& t, const char* what,
                               const char* name, int rank) {
  if (t.rank() != 1) {
    return InvalidArgument(what, " should be a vector but received shape ",
                           t.shape().DebugString());
  }
  if (t.dim(0) != rank) {
    return InvalidArgument("Expected ", name, " to be a vector of length ",
                           rank, " but got length ", t.dim(0));
  }
  return OkStatus();
}

struct SparseSlicePlan {
  DimVector ends;  // of the slice, in each dimension
  DimVector dims;  // of the result
};

// Checks the inputs of SparseSlice, of which indices and values may lie
// anywhere.
inline StatusOr<SparseSlicePlan> PlanSparseSlice(const KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      CheckSparseParts(ctx.input(0), ctx.input(1), ctx.input(2), kSparseWords));
  const auto given = ctx.input(2).flat<int64_t>();
  const int rank = static_cast<int>(given.size());
  MR_RETURN_IF_ERROR(
      CheckSliceLength(ctx.input(3), "Input start", "start", rank));
  MR_RETURN_IF_ERROR(
      CheckSliceLength(ctx.input(4), "Input size", "size", rank));
  MR_RETURN_IF_ERROR(DenseShape(given).status());
  const auto start = ctx.input(3).flat<int64_t>();
  const auto size = ctx.input(4).flat<int64_t>();
  SparseSlicePlan plan;
  for (size_t d = 0; d < start.size(); ++d) {
    if (size[d] < 0) {
      return InvalidArgument("Expected a non-negative size, got ", size[d],
                             " in size[", d, "]");
    }
    int64_t end;
    if (__builtin_add_overflow(start[d], size[d], &end)) {
      end = std::numeric_limits<int64_t>::max();
    }
    plan.ends.push_back(end);
    plan.dims.push_back(start[d] >= given[d] ? 0
                        : end < given[d]     ? size[d]
                                             : given[d] - start[d]);
  }
  MR_RETURN_IF_ERROR(TensorShape::Make(plan.dims).status());
  return plan;
}

}  // namespace millrace::ops
