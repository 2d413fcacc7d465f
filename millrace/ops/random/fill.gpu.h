// GpuRandomFill: what fill.h does, on GPUs.
#pragma once

#include <cstdint>

#include "millrace/base/random.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/ops/random/fill.h"

namespace millrace::ops {

// The numbers of one kernel; immutable.
class GpuRandomFill {
 public:
  // Makes one for floating-point numbers, of a kernel whose first output they
  // are.
  static StatusOr<GpuRandomFill> Make(const KernelInit& init,
                                      Distribution distribution);
  // Makes one for integers of 32 or 64 bits.
  static StatusOr<GpuRandomFill> MakeIntegers(const KernelInit& init);

  // Enqueues that `out` is filled as by FillRandom, or FillIntegers.
  Status Run(KernelContext& ctx, const Philox4x32& base, Tensor* out) const;
  Status RunIntegers(KernelContext& ctx, const Philox4x32& base, uint64_t low,
                     uint64_t range, Tensor* out) const;

  // The same from a generator on the device, as TakeState leaves it.
  Status RunFrom(KernelContext& ctx, const Tensor& state, Tensor* out) const;
  Status RunIntegersFrom(KernelContext& ctx, const Tensor& state, uint64_t low,
                         uint64_t range, Tensor* out) const;

 private:
  Status Launch(KernelContext& ctx, const Philox4x32& base, GpuPointer state,
                Tensor* out) const;

  GpuFunction fill_;
};

}  // namespace millrace::ops
