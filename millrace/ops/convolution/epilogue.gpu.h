// The epilogue of fused products (epilogue.h) on GPUs.
#pragma once

#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/ops/convolution/epilogue.h"

namespace millrace::ops {

// Thread-safe.
class GpuEpilogue {
 public:
  GpuEpilogue() = default;
  // Takes the attributes and types of Epilogue::Make, and returns its errors.
  static StatusOr<GpuEpilogue> Make(const KernelInit& init, const char* what,
                                    int first_input);

  // Enqueues the ops on `out` in place, whose channels are in dimension
  // `channel_dim`. Returns INVALID_ARGUMENT if arguments have the wrong shapes.
  Status Run(KernelContext& ctx, int channel_dim, Tensor* out) const;

  const EpilogueOps& ops() const { return ops_; }

 private:
  EpilogueOps ops_;
  LazyGpuFunction function_;
};

}  // namespace millrace::ops
