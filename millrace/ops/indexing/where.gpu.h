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
  // Returns the last of these numbers, still on the device: int64 [1].
  static Tensor Total(const Tensor& counts) {
    const int64_t n = counts.num_elements();
    return counts.Rows(n - 1, n);
  }
  // Writes their coordinates, in order; `out` has a row for each.
  Status Write(KernelContext& ctx, const Tensor& in, const Tensor& counts,
               Tensor* out) const;

 private:
  GpuFunction count_, add_, write_;
};

}  // namespace millrace::ops
