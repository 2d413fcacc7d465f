// Scatters into device memory: updates of rows or slices that indices name.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

namespace millrace::ops {

// Flags are added by "or"; their difference is whether they differ.
enum class GpuScatterOp {
  kReplace,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // integers: truncated, 0 for a divisor 0
  kSmaller,
  kLarger
};

class GpuScatter {
 public:
  // Requires: `index_type` is int32 or int64.
  static StatusOr<GpuScatter> Make(const KernelInit& init, GpuScatterOp op,
                                   DataType type, DataType index_type);

  // Enqueues `count` updates of `target`, whose leading dimensions are `dims`;
  // `indices` has a coordinate in each of them for each update. `updates` has a
  // slice for each, or one element for all. Updates of one place are made in
  // their order. As in TensorFlow on GPUs, those of places that do not exist
  // are passed over. Returns the errors of GpuRowOrder.
  Status Run(KernelContext& ctx, Tensor& target, const Tensor& indices,
             int64_t count, absl::Span<const int64_t> dims,
             const Tensor& updates) const;

  // Enqueues an update of one element of `target` by each element of `updates`,
  // whose place is that among all elements, in their order. `places` has as
  // many elements as `updates`; places outside of the target are passed over.
  Status RunByPlace(KernelContext& ctx, Tensor& target, const Tensor& places,
                    const Tensor& updates) const;

 private:
  GpuRowOrder order_;
  GpuFunction scatter_;
};

}  // namespace millrace::ops
