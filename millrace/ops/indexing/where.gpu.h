// The places of elements that are not zero, in the memory of a GPU.
#pragma once

#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

class GpuNonZero {
 public:
  static StatusOr<GpuNonZero> Make(const KernelInit& init, DataType type);

  // Returns how many there are before each piece of `in` and, last, in all:
  // int64.
  StatusOr<Tensor> Count(KernelContext& ctx, const Tensor& in) const;
  // Writes their coordinates, in order; `out` has a row for each.
  Status Write(KernelContext& ctx, const Tensor& in, const Tensor& counts,
               Tensor* out) const;

 private:
  GpuFunction count_, add_, write_;
};

}  // namespace millrace::ops
