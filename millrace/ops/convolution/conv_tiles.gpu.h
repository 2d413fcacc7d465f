// Convolutions on GPUs by our own function, where no library computes them.
#pragma once

#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// The elements of the three tensors, as of ConvData.
struct GpuConvData {
  GpuPointer input, filter, output;
};

// A pass of convolutions of one type. Thread-safe.
class TiledConv {
 public:
  TiledConv() = default;
  TiledConv(const KernelInit& init, DataType type, ConvPass pass);

  // Requires: no size is 0.
  Status Run(KernelContext& ctx, const ConvProblem& p,
             const GpuConvData& data) const;

 private:
  ConvPass pass_ = ConvPass::kForward;
  LazyGpuFunction product_, product_of_large_;
};

}  // namespace millrace::ops
