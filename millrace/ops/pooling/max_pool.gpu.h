// Max pooling on GPUs, for all of its kernels.
#pragma once

#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

// PoolNumbers of the texts.
struct PoolNumbers {
  int64_t images, channels;
  int64_t in[kMaxSpatial], out[kMaxSpatial], filter[kMaxSpatial];
  int64_t stride[kMaxSpatial], before[kMaxSpatial];

  explicit PoolNumbers(const PoolProblem& p);
};

// A function with a variant for problems whose elements have numbers of 2^30
// and more. Thread-safe.
class PoolFunction {
 public:
  PoolFunction() = default;
  // The entries are `entry` and `entry`OfLarge.
  PoolFunction(const KernelInit& init, const GpuSource& source,
               const char* entry, const std::vector<GpuDefine>& defines);

  // Returns the variant for the problem.
  StatusOr<GpuFunction> For(const PoolProblem& p) const;

 private:
  LazyGpuFunction function_, function_of_large_;
};

// Argmax offsets (max_pool.h) of one type. Thread-safe.
class GpuPoolOffsets {
 public:
  GpuPoolOffsets() = default;
  GpuPoolOffsets(const KernelInit& init, DataType type);

  // Enqueue what FindOffsets and SumByOffsets compute. `output` may be null.
  Status Find(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
              Tensor* output, Tensor* offsets) const;
  Status Sum(KernelContext& ctx, const PoolProblem& p, const Tensor& offsets,
             const Tensor& grad, Tensor* out) const;

 private:
  // By the size of offsets: one byte, and four.
  PoolFunction find_[2], sum_[2];
};

}  // namespace millrace::ops
