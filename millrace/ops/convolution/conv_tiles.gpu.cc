#include "millrace/ops/convolution/conv_tiles.gpu.h"

#include <algorithm>
#include <limits>
#include <string>

#include "millrace/ops/product/tiled_product.gpu.h"

MR_GPU_SOURCE(product_tiled_product);

namespace millrace::ops {
namespace {

// TileProblem of tiled_product.gpu.cu for the passes of convolutions.
struct ConvTiles {
  int64_t batches, m, n, k;
  int64_t in_channels, out_channels, out_depth;
  int64_t in[kMaxSpatial], out[kMaxSpatial], filter[kMaxSpatial];
  int64_t stride[kMaxSpatial], dilation[kMaxSpatial], before[kMaxSpatial];
  int64_t in_image, in_pixel, in_channel;
  int64_t out_image, out_pixel, out_channel;

  explicit ConvTiles(const ConvProblem& p)
      : batches(p.groups),
        in_channels(p.in_depth / p.groups),
        out_channels(p.out_depth / p.groups),
        out_depth(p.out_depth) {
    for (int i = 0; i < kMaxSpatial; ++i) {
      const Window& w = p.window[i];
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

int64_t TilesOver(int64_t n) { return (n + kTile - 1) / kTile; }

}  // namespace

TiledConv::TiledConv(const KernelInit& init, DataType type, ConvPass pass)
    : pass_(pass) {
  const std::vector<GpuDefine> defines = {
      {"T", GpuTypeName(type)},
      {"PASS", std::to_string(static_cast<int>(pass) + 1)}};
  product_ = LazyGpuFunction(init, MR_GPU_SOURCE_OF(product_tiled_product),
                             "Product", defines);
  product_of_large_ = LazyGpuFunction(
      init, MR_GPU_SOURCE_OF(product_tiled_product), "ProductOfLarge", defines);
}

Status TiledConv::Run(KernelContext& ctx, const ConvProblem& p,
                      const GpuConvData& data) const {
  ConvTiles t(p);
  GpuPointer a = data.input, b = data.filter, c = data.output;
  // Whether neighbouring elements of an operand have neighbouring k.
  int by_k_of_a = p.channels_first ? 0 : 1, by_k_of_b = 0;
  switch (pass_) {
    case ConvPass::kForward:
      t.m = p.batch * p.OutputPixels();
      t.n = t.out_channels;
      t.k = p.Taps() * t.in_channels;
      break;
    case ConvPass::kInput:
      a = data.output;
      c = data.input;
      t.m = p.batch * p.InputPixels();
      t.n = t.in_channels;
      t.k = p.Taps() * t.out_channels;
      by_k_of_b = 1;
      break;
    case ConvPass::kFilter:
      b = data.output;
      c = data.filter;
      t.m = p.Taps() * t.in_channels;
      t.n = t.out_channels;
      t.k = p.batch * p.OutputPixels();
      by_k_of_a = p.channels_first ? 1 : 0;
      by_k_of_b = by_k_of_a;
      break;
  }
  const bool is_large =
      std::max({p.InputSize(), p.OutputSize(), p.FilterSize()}) >
      std::numeric_limits<int32_t>::max() / 2;
  MR_ASSIGN_OR_RETURN(const GpuFunction function,
                      (is_large ? product_of_large_ : product_).Get());
  const int64_t tiles = TilesOver(t.m) * TilesOver(t.n) * t.batches;
  return LaunchGpu(ctx, function,
                   GpuGrid{.blocks = std::min<int64_t>(
                               tiles, std::numeric_limits<int32_t>::max()),
                           .threads = kTileThreads},
                   t, a, b, c, by_k_of_a, by_k_of_b);
}

}  // namespace millrace::ops
