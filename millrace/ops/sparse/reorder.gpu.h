// The row-major order of entries of sparse tensors in the memory of a GPU.
#pragma once

#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

class GpuRowMajorOrder {
 public:
  // `type` is that of the values.
  static StatusOr<GpuRowMajorOrder> Make(const KernelInit& init, DataType type);

  // Writes the entries in the order of their coordinates, which may be any
  // numbers; equal ones keep their order. The outputs have the shapes of the
  // inputs, and are other memory.
  Status Run(KernelContext& ctx, const Tensor& indices, const Tensor& values,
             Tensor* out_indices, Tensor* out_values) const;

 private:
  // Returns the numbers of entries in their order: int64.
  StatusOr<Tensor> Sort(KernelContext& ctx, const Tensor& indices) const;

  GpuFunction sort_, merge_, gather_;
};

}  // namespace millrace::ops
