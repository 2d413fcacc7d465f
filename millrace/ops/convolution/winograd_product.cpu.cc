// Products of transformed tiles and transformed filters. A panel of a tap stays
// in the first-level cache over the strips of a block.
#include "millrace/ops/convolution/winograd_kernels.h"

namespace millrace::ops {

void WinogradBlock::Multiply(const TiledConv& c, const float* filter,
                             const WinogradPanel& panel, int64_t n,
                             float* block) const {
  const auto multiply = kernels_.multiply[panel.vectors - 1];
  const int64_t width = panel.vectors * kWinogradLanes;
  const float* b = filter + panel.first * c.in_depth * kWinogradTaps;
  float* const products = block + kWinogradTaps * in_stride_;
  for (int64_t tap = 0; tap < kWinogradTaps; ++tap) {
    for (int64_t t = 0; t < n; t += kStrip) {
      multiply({block + tap * in_stride_ + t * in_row_, in_row_, 1}, b, width,
               c.in_depth,
               products + tap * out_stride_ + t * WinogradPanel::kMaxChannels);
    }
    b += c.in_depth * width;
  }
}

// The last strip of channels may be padded with channels whose sums are not
// read.
void WinogradBlock::AddProducts(int64_t channels, const WinogradPanel& panel,
                                int64_t n, const float* block,
                                float* sums) const {
  const auto multiply = kernels_.multiply_add[panel.vectors - 1];
  const float* const gradients = block + kWinogradTaps * in_stride_;
  for (int64_t tap = 0; tap < kWinogradTaps; ++tap) {
    for (int64_t i = 0; i < channels; i += kStrip) {
      multiply({block + tap * in_stride_ + i, 1, in_row_},
               gradients + tap * out_stride_, WinogradPanel::kMaxChannels, n,
               sums + tap * kSumsTap + i * WinogradPanel::kMaxChannels);
    }
  }
}

}  // namespace millrace::ops
