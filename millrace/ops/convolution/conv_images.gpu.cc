#include "millrace/ops/convolution/conv_images.gpu.h"

MR_GPU_SOURCE(convolution_conv_images);

namespace millrace::ops {

ConvImages::ConvImages(const KernelInit& init, DataType type) {
  const size_t bytes = SizeOf(type);
  const std::vector<GpuDefine> defines = {{"T", bytes == 2   ? "uint16_t"
                                                : bytes == 4 ? "uint32_t"
                                                             : "uint64_t"}};
  const auto load = [&](const char* entry) {
    return LazyGpuFunction(init, MR_GPU_SOURCE_OF(convolution_conv_images),
                           entry, defines);
  };
  transpose_ = load("TransposeMatrices");
  order_filter_ = load("OrderFilter");
  copy_window_ = load("CopyWindow");
}

Status ConvImages::Transpose(KernelContext& ctx, GpuPointer from, GpuPointer to,
                             int64_t batches, int64_t rows,
                             int64_t columns) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, transpose_.Get());
  const int64_t tiles = batches * ((rows + 31) / 32) * ((columns + 31) / 32);
  return LaunchGpu(ctx, function,
                   GpuGrid{.blocks = tiles, .threads = 256, .strided = true},
                   from, to, batches, rows, columns);
}

Status ConvImages::OrderFilter(KernelContext& ctx, const ConvProblem& p,
                               bool channels_last, Direction direction,
                               GpuPointer from, GpuPointer to) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, order_filter_.Get());
  const int64_t taps = p.Taps(), in = p.in_depth / p.groups, out = p.out_depth;
  const int last = channels_last ? 1 : 0;
  const int back = direction == Direction::kBack ? 1 : 0;
  return LaunchGpu(ctx, function, GridOver(p.FilterSize()), from, to, taps, in,
                   out, last, back);
}

Status ConvImages::CopyWindow(KernelContext& ctx, const ImageWindow& window,
                              GpuPointer from, GpuPointer to) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, copy_window_.Get());
  int64_t n = window.images * window.inner;
  for (const int64_t size : window.to) n *= size;
  return LaunchGpu(ctx, function, GridOver(n), window, from, to);
}

}  // namespace millrace::ops
