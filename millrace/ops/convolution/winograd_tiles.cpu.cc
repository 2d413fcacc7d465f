#include "millrace/ops/convolution/winograd_tiles.h"

#include <algorithm>
#include <vector>

#include "millrace/ops/convolution/winograd_kernels.h"

namespace millrace::ops {
namespace {

constexpr int64_t PaddedDepth(int64_t depth) {
  return (depth + kWinogradLanes - 1) / kWinogradLanes * kWinogradLanes;
}

}  // namespace

absl::Span<const WinogradKernels* const> SupportedWinogradKernels() {
  static const auto* const here = [] {
    auto* kernels = new std::vector<const WinogradKernels*>();
    if (__builtin_cpu_supports("avx512f")) {
      kernels->push_back(&kAvx512WinogradKernels);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      kernels->push_back(&kAvx2WinogradKernels);
    }
    return kernels;
  }();
  return *here;
}

int64_t WinogradPanel::Count(int64_t out_depth) {
  return (out_depth + kMaxChannels - 1) / kMaxChannels;
}

// Panels are as even as possible, since narrow ones multiply more slowly.
WinogradPanel WinogradPanel::At(int64_t out_depth, int64_t index) {
  const int64_t vectors = PaddedDepth(out_depth) / kWinogradLanes,
                n = Count(out_depth);
  const int64_t first = vectors * index / n;
  return {first * kWinogradLanes, vectors * (index + 1) / n - first};
}

WinogradBlock::WinogradBlock(const WinogradKernels& kernels, int64_t tiles,
                             int64_t in_depth)
    : kernels_(kernels),
      tiles_(tiles),
      in_row_(PaddedDepth(in_depth)),
      // A power of two would put all taps of a tile into the same few cache
      // lines.
      in_stride_(tiles * in_row_ + kWinogradLanes),
      out_stride_(tiles * WinogradPanel::kMaxChannels + kWinogradLanes) {}

void WinogradBlock::TransformInput(const TiledConv& c, const float* x,
                                   int64_t channels, int64_t first, int64_t n,
                                   float* block) const {
  kernels_.transform_input(c, x, channels, first, n, in_row_, in_stride_,
                           block);
  // The rest of the last strip is multiplied, too.
  for (int64_t t = n; t % kStrip != 0; ++t) {
    for (int64_t tap = 0; tap < kWinogradTaps; ++tap) {
      float* to = block + tap * in_stride_ + t * in_row_;
      std::fill(to, to + in_row_, 0.0f);
    }
  }
}

bool WinogradBlock::TransformOutput(const TiledConv& c,
                                    const WinogradPanel& panel, int64_t first,
                                    int64_t n, const float* block,
                                    float* y) const {
  return kernels_.transform_output(
      c, panel, first, n, block + kWinogradTaps * in_stride_, out_stride_, y);
}

void WinogradBlock::TransformGradient(const TiledConv& c,
                                      const WinogradPanel& panel,
                                      const float* dy, int64_t first, int64_t n,
                                      float* block) const {
  kernels_.transform_gradient(c, panel, first, n, dy, out_stride_,
                              block + kWinogradTaps * in_stride_);
}

}  // namespace millrace::ops
