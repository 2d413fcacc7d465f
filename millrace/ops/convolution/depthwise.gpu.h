// Depthwise convolutions of images on GPUs.
#pragma once

#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/ops/convolution/conv_problem.h"
#include "millrace/ops/convolution/conv_tiles.gpu.h"

namespace millrace::ops {

// A pass of depthwise convolutions of one type. Thread-safe.
class DepthwiseConv {
 public:
  DepthwiseConv() = default;
  DepthwiseConv(const KernelInit& init, DataType type, ConvPass pass,
                bool channels_first);

  // Requires: two spatial dimensions, as many groups as input channels; no size
  // is 0.
  Status Run(KernelContext& ctx, const ConvProblem& p,
             const GpuConvData& data) const;

 private:
  ConvPass pass_ = ConvPass::kForward;
  int filter_channels_ = 1;  // that a block of kFilter takes
  LazyGpuFunction function_, function_of_large_;
};

}  // namespace millrace::ops
