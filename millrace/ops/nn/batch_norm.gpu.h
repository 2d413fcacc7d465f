// Functions of batch normalization and its gradient in the memory of a GPU.
#pragma once

#include "millrace/device/cuda/launch.h"
#include "millrace/ops/nn/batch_norm.h"

namespace millrace::ops {

// The arguments of batch_norm.gpu.cu; as there.
struct BatchNormArgs {
  uint64_t x = 0, dy = 0, side = 0, out = 0;
  uint64_t partial = 0;
  uint64_t scale = 0, offset = 0;
  uint64_t given_mean = 0, given_variance = 0;
  uint64_t mean = 0, variance = 0, new_mean = 0, new_variance = 0;
  uint64_t factors = 0;
  int64_t outer = 0, channels = 0, inner = 0;
  int64_t slices = 1, slice = 0;
  int64_t units = 0;
  GpuDivisor by_inner, by_channels;
  int width_shift = 0;
  float epsilon = 0, factor = 1;
  int relu = 0, training = 1;
};

// Sums over slices of each channel, a function of all of them, and one for each
// element.
class GpuBatchNorm {
 public:
  enum class What { kForward, kGradient };
  static StatusOr<GpuBatchNorm> Make(const KernelInit& init, What what);

  // Sets the layout. Returns UNIMPLEMENTED if a channel has 2^31 elements or
  // more.
  static Status SetLayout(const ChannelLayout& l, BatchNormArgs* a);
  // Sums over channels, and joins the sums.
  Status Measure(KernelContext& ctx, BatchNormArgs& a) const;
  // Takes given statistics instead.
  Status Take(KernelContext& ctx, const BatchNormArgs& a) const;
  // Computes the elements of `out`.
  Status Apply(KernelContext& ctx, BatchNormArgs& a) const;
  Status Fill(KernelContext& ctx, Tensor* t, float value) const;

 private:
  GpuFunction columns_, planes_, join_, take_, apply_one_, apply_four_, fill_;
};

}  // namespace millrace::ops
