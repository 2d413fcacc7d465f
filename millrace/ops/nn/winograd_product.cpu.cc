// Products of transformed tiles with transformed filters. A strip of tiles and
// a panel are 24 sums in registers; a panel of a tap stays in the first cache
// over the strips of a block.
#include <immintrin.h>

#include "millrace/ops/nn/winograd_tiles.h"

namespace millrace::ops {
namespace {

constexpr int kStripRows = static_cast<int>(WinogradBlock::kStrip);

// A strip of a matrix that is multiplied: element (i, k) at i * row + k * step.
struct Strip {
  const float* at;
  int64_t row, step;
};

// c [6, kVectors * 16] = a [6, depth] b [depth, kVectors * 16], or what is
// added to it. Rows of b are b_row apart, those of c WinogradPanel::kMost.
template <int kVectors, bool kAdds>
__attribute__((target("avx512f"))) void MultiplyStrip(const Strip& strip,
                                                      const float* b,
                                                      int64_t b_row,
                                                      int64_t depth, float* c) {
  const float* a = strip.at;
  const int64_t a_row = strip.row, a_step = strip.step;
  __m512 sums[kStripRows][kVectors];
#pragma GCC unroll 6
  for (int i = 0; i < kStripRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      sums[i][j] = kAdds ? _mm512_load_ps(c + i * WinogradPanel::kMost +
                                          j * kWinogradLanes)
                         : _mm512_setzero_ps();
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    __m512 y[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      y[j] = _mm512_load_ps(b + j * kWinogradLanes);
    }
    b += b_row;
#pragma GCC unroll 6
    for (int i = 0; i < kStripRows; ++i) {
      const __m512 x = _mm512_set1_ps(a[i * a_row]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        sums[i][j] = _mm512_fmadd_ps(x, y[j], sums[i][j]);
      }
    }
    a += a_step;
  }
#pragma GCC unroll 6
  for (int i = 0; i < kStripRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      _mm512_store_ps(c + i * WinogradPanel::kMost + j * kWinogradLanes,
                      sums[i][j]);
    }
  }
}

template <bool kAdds>
auto MultiplyFor(const WinogradPanel& panel) {
  return panel.vectors == 1   ? MultiplyStrip<1, kAdds>
         : panel.vectors == 2 ? MultiplyStrip<2, kAdds>
         : panel.vectors == 3 ? MultiplyStrip<3, kAdds>
                              : MultiplyStrip<4, kAdds>;
}

}  // namespace

void WinogradBlock::Multiply(const TiledConv& c, const float* filter,
                             const WinogradPanel& panel, int64_t n,
                             float* block) const {
  const auto multiply = MultiplyFor<false>(panel);
  const int64_t width = panel.vectors * kWinogradLanes;
  const float* b = filter + panel.first * c.in_depth * kWinogradTaps;
  float* const products = block + kWinogradTaps * in_stride_;
  for (int64_t tap = 0; tap < kWinogradTaps; ++tap) {
    for (int64_t t = 0; t < n; t += kStrip) {
      multiply({block + tap * in_stride_ + t * in_row_, in_row_, 1}, b, width,
               c.in_depth,
               products + tap * out_stride_ + t * WinogradPanel::kMost);
    }
    b += c.in_depth * width;
  }
}

// The last strip of channels may have some that are not there, whose sums
// nobody reads.
void WinogradBlock::AddProducts(int64_t channels, const WinogradPanel& panel,
                                int64_t n, const float* block,
                                float* sums) const {
  const auto multiply = MultiplyFor<true>(panel);
  const float* const gradients = block + kWinogradTaps * in_stride_;
  for (int64_t tap = 0; tap < kWinogradTaps; ++tap) {
    for (int64_t i = 0; i < channels; i += kStrip) {
      multiply({block + tap * in_stride_ + i, 1, in_row_},
               gradients + tap * out_stride_, WinogradPanel::kMost, n,
               sums + tap * kSumsTap + i * WinogradPanel::kMost);
    }
  }
}

}  // namespace millrace::ops
