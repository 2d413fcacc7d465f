// Fourier transforms along a dimension of an array in the memory of a GPU.
#pragma once

#include <cstdint>

#include "millrace/device/cuda/launch.h"
#include "millrace/device/cuda/lazy_gpu_function.h"

namespace millrace::ops {

// Thread-safe. Lives no longer than the kernel of its KernelInit.
class GpuFourier {
 public:
  // `type` is that of the numbers: complex64 or complex128.
  static StatusOr<GpuFourier> Make(const KernelInit& init, DataType type);

  // Transforms the lines of `array`, [outer, n, inner], whose values become the
  // sums over i of line[i] exp(-2 pi sqrt(-1) i k / n). `array` becomes another
  // tensor.
  Status Forward(KernelContext& ctx, int64_t outer, int64_t n, int64_t inner,
                 Tensor* array) const;

 private:
  // Returns the powers of the root of n: the table of ByFactors for that n.
  StatusOr<Tensor> Roots(KernelContext& ctx, int64_t n) const;
  Status ByFactors(KernelContext& ctx, const Tensor& roots, int64_t outer,
                   int64_t n, int64_t inner, Tensor* array) const;
  Status ByConvolution(KernelContext& ctx, int64_t outer, int64_t n,
                       int64_t inner, Tensor* array) const;
  Status ShortLines(KernelContext& ctx, int64_t lines, int64_t n,
                    const Tensor& roots, Tensor* array) const;
  StatusOr<Tensor> Allocate(KernelContext& ctx, int64_t n) const;

  DataType type_ = DataType::kInvalid;
  GpuFunction roots_;
  LazyGpuFunction short_lines_, step2_, step4_, step_any_, chirp_, both_ways_,
      pad_, times_, take_;
};

}  // namespace millrace::ops
