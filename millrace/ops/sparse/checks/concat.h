// The checks of SparseConcat, on all devices.
#pragma once

#include <cstdint>

#include "millrace/base/memory/checked_size.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {

struct SparseConcatPlan {
  int axis = 0;
  int64_t total = 0;  // entries
  DimVector dims;     // of the result
};

namespace sparse_concat {

inline Status CheckRanks(const KernelContext& ctx, int i, int n) {
  const Tensor& indices = ctx.input(i);
  const Tensor& values = ctx.input(i + n);
  const Tensor& shape = ctx.input(i + 2 * n);
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape ",
        indices.shape().DebugString(), " at position ", i);
  }
  if (values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape ",
        values.shape().DebugString(), " at position ", i);
  }
  if (shape.rank() == 1) return OkStatus();
  return InvalidArgument("Input shapes should be a vector but received shape ",
                         shape.shape().DebugString(), " at position ", i);
}

inline Status CheckFits(absl::Span<const int64_t> first,
                        absl::Span<const int64_t> dims, int axis, int i) {
  const StatusOr<TensorShape> shape = TensorShape::Make(dims);
  if (!shape.ok()) {
    return Internal("Encountered overflow from large input shape. ",
                    shape.status().message(), " at position ", i);
  }
  if (dims.size() != first.size()) {
    return InvalidArgument("Ranks of all input tensors must match: expected ",
                           first.size(), " but got ", dims.size(),
                           " at position ", i);
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<int>(d) != axis && dims[d] != first[d]) {
      return InvalidArgument("Input shapes must match: expected ", first[d],
                             " for dimension ", d, " but got ", dims[d],
                             " at position ", i);
    }
  }
  return OkStatus();
}

}  // namespace sparse_concat

// Checks the inputs of `parts` tensors, whose shapes alone lie in host memory:
// all indices, then all values, then all shapes.
inline StatusOr<SparseConcatPlan> PlanSparseConcat(const KernelContext& ctx,
                                                   int64_t axis,
                                                   int64_t parts) {
  const int n = static_cast<int>(parts);
  for (int i = 0; i < n; ++i) {
    MR_RETURN_IF_ERROR(sparse_concat::CheckRanks(ctx, i, n));
  }
  const auto first = ctx.input(2 * n).flat<int64_t>();
  const auto rank = static_cast<int64_t>(first.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    return InvalidArgument("Concat dimension must be in range [", -rank, ", ",
                           rank, "), got ", axis);
  }
  SparseConcatPlan plan;
  plan.axis = static_cast<int>(at);
  for (int i = 0; i < n; ++i) {
    MR_RETURN_IF_ERROR(sparse_concat::CheckFits(
        first, ctx.input(i + 2 * n).flat<int64_t>(), plan.axis, i));
  }
  CheckedSize along = 0;
  for (int i = 0; i < n; ++i) {
    MR_RETURN_IF_ERROR(CheckSparseParts(ctx.input(i), ctx.input(i + n),
                                        ctx.input(i + 2 * n), {}));
    along += ctx.input(i + 2 * n).flat<int64_t>()[plan.axis];
    plan.total += ctx.input(i).dim(0);
  }
  plan.dims.assign(first.begin(), first.end());
  MR_ASSIGN_OR_RETURN(plan.dims[plan.axis],
                      along.Get("the size along concat_dim"));
  MR_RETURN_IF_ERROR(TensorShape::Make(plan.dims).status());
  return plan;
}

}  // namespace millrace::ops
