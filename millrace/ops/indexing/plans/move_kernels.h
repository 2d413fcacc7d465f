// Kernels of slices, for the memory of any device (array/mover.h). Inputs that
// name places lie in host memory.
#pragma once

#include "millrace/kernel/kernel.h"
#include "millrace/ops/array/mover.h"
#include "millrace/ops/slicing/strided_slice.op.h"

namespace millrace::ops {

Status RunSlice(KernelContext& ctx, const Mover& mover);

struct StridedSliceKernel {
  static StatusOr<StridedSliceKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx, const Mover& mover) const;
  StridedSliceMasks masks;
};

struct StridedSliceGradKernel {
  static StatusOr<StridedSliceGradKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx, const Mover& mover) const;
  StridedSliceMasks masks;
};

// Assigns to a slice of a variable, by reference or handle, or of a tensor.
class StridedAssignKernel {
 public:
  static StatusOr<StridedAssignKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx, const Mover& mover) const;

 private:
  Status Update(KernelContext& ctx, const Mover& mover) const;
  StatusOr<StridedCopySpec> Plan(KernelContext& ctx,
                                 const TensorShape& shape) const;

  StridedSliceMasks masks_;
  DataType type_ = DataType::kInvalid;
};

}  // namespace millrace::ops
