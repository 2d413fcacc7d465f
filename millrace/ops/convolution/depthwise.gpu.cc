#include "millrace/ops/convolution/depthwise.gpu.h"

#include <algorithm>
#include <limits>
#include <string>

MR_GPU_SOURCE(convolution_depthwise);

namespace millrace::ops {
namespace {

// DepthwiseNumbers of depthwise.gpu.cu.
struct DepthwiseNumbers {
  int64_t batch, in_depth, multiplier;
  int64_t in[2], out[2], filter[2], stride[2], dilation[2], before[2];
  int64_t in_image, in_pixel, in_channel;
  int64_t out_image, out_pixel, out_channel;

  explicit DepthwiseNumbers(const ConvProblem& p)
      : batch(p.batch),
        in_depth(p.in_depth),
        multiplier(p.out_depth / p.in_depth) {
    for (int i = 0; i < 2; ++i) {
      const Window& w = p.window[kMaxSpatial - 2 + i];
      in[i] = w.input;
      out[i] = w.output;
      filter[i] = w.filter;
      stride[i] = w.stride;
      dilation[i] = w.dilation;
      before[i] = w.before;
    }
    in_image = p.InputPixels() * p.in_depth;
    in_pixel = p.channels_first ? 1 : p.in_depth;
    in_channel = p.channels_first ? p.InputPixels() : 1;
    out_image = p.OutputPixels() * p.out_depth;
    out_pixel = p.channels_first ? 1 : p.out_depth;
    out_channel = p.channels_first ? p.OutputPixels() : 1;
  }
};

const char* EntryOf(ConvPass pass, bool is_large) {
  switch (pass) {
    case ConvPass::kForward:
      return is_large ? "ForwardOfLarge" : "Forward";
    case ConvPass::kInput:
      return is_large ? "InputOfLarge" : "Input";
    case ConvPass::kFilter:
      return is_large ? "FilterOfLarge" : "Filter";
  }
  return "";
}

}  // namespace

DepthwiseConv::DepthwiseConv(const KernelInit& init, DataType type,
                             ConvPass pass, bool channels_first)
    : pass_(pass), filter_channels_(channels_first ? 1 : 32) {
  const std::vector<GpuDefine> defines = {
      {"T", GpuTypeName(type)}, {"CHANNELS", std::to_string(filter_channels_)}};
  function_ = LazyGpuFunction(init, MR_GPU_SOURCE_OF(convolution_depthwise),
                              EntryOf(pass, false), defines);
  function_of_large_ =
      LazyGpuFunction(init, MR_GPU_SOURCE_OF(convolution_depthwise),
                      EntryOf(pass, true), defines);
}

Status DepthwiseConv::Run(KernelContext& ctx, const ConvProblem& p,
                          const GpuConvData& data) const {
  const DepthwiseNumbers numbers(p);
  const bool is_large =
      std::max({p.InputSize(), p.OutputSize(), p.FilterSize()}) >
      std::numeric_limits<int32_t>::max() / 2;
  MR_ASSIGN_OR_RETURN(const GpuFunction function,
                      (is_large ? function_of_large_ : function_).Get());
  switch (pass_) {
    case ConvPass::kForward:
      return LaunchGpu(ctx, function, GridOver(p.OutputSize()), numbers,
                       data.input, data.filter, data.output);
    case ConvPass::kInput:
      return LaunchGpu(ctx, function, GridOver(p.InputSize()), numbers,
                       data.output, data.filter, data.input);
    case ConvPass::kFilter: {
      const int64_t blocks =
          p.Taps() * ((p.out_depth + filter_channels_ - 1) / filter_channels_);
      return LaunchGpu(
          ctx, function,
          GpuGrid{.blocks = blocks, .threads = 256, .strided = true}, numbers,
          data.input, data.output, data.filter);
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
