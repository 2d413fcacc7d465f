// The transformation of filters, and back for their gradients.
#include <immintrin.h>

#include <algorithm>

#include "millrace/ops/nn/winograd_tiles.h"

namespace millrace::ops {
namespace {

#define MR_FILTER_INLINE \
  __attribute__((target("avx512f"), always_inline)) inline

constexpr int64_t kFilterTaps = 9;

__mmask16 FirstLanes(int64_t n) {
  return static_cast<__mmask16>(
      (1u << std::clamp<int64_t>(n, 0, kWinogradLanes)) - 1);
}

// A square of kWinogradLanes x kWinogradLanes floats, turned: the first `rows`
// of rows of `columns` that are there, `stride` apart; zeros for the others.
__attribute__((target("avx512f"))) void TurnSquare(const float* from,
                                                   int64_t stride, int64_t rows,
                                                   int64_t columns, float* to) {
  // g++ 12 warns of the forms without masks, which it defines by a variable
  // that is not initialized.
  constexpr __mmask16 kAll = 0xffff;
  constexpr __mmask8 kAllDoubles = 0xff;
  __m512 a[16], b[16];
  const __mmask16 lanes = FirstLanes(columns);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    a[i] = i < rows ? _mm512_maskz_loadu_ps(lanes, from + i * stride)
                    : _mm512_setzero_ps();
  }
  // Pairs of rows, then fours.
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_maskz_unpacklo_ps(kAll, a[i], a[i + 1]);
    b[i + 1] = _mm512_maskz_unpackhi_ps(kAll, a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const __m512d x = _mm512_castps_pd(b[i + j]);
      const __m512d y = _mm512_castps_pd(b[i + j + 2]);
      a[i + 2 * j] =
          _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(kAllDoubles, x, y));
      a[i + 2 * j + 1] =
          _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(kAllDoubles, x, y));
    }
  }
  // Quarter q of a[4 g + j] is column 4 q + j of rows 4 g to 4 g + 3.
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters 0 and 2, 1 and 3
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m512 x0 = _mm512_maskz_shuffle_f32x4(kAll, a[j], a[j + 4], kEven);
    const __m512 x1 = _mm512_maskz_shuffle_f32x4(kAll, a[j], a[j + 4], kOdd);
    const __m512 y0 =
        _mm512_maskz_shuffle_f32x4(kAll, a[j + 8], a[j + 12], kEven);
    const __m512 y1 =
        _mm512_maskz_shuffle_f32x4(kAll, a[j + 8], a[j + 12], kOdd);
    float* row = to + j * kWinogradLanes;
    _mm512_storeu_ps(row, _mm512_maskz_shuffle_f32x4(kAll, x0, y0, kEven));
    _mm512_storeu_ps(row + 4 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x1, y1, kEven));
    _mm512_storeu_ps(row + 8 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x0, y0, kOdd));
    _mm512_storeu_ps(row + 12 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x1, y1, kOdd));
  }
}

// G g for a column or a row g.
MR_FILTER_INLINE void TransformThree(const __m512& g0, const __m512& g1,
                                     const __m512& g2, __m512* u) {
  const __m512 half = _mm512_set1_ps(0.5f);
  const __m512 ends = _mm512_mul_ps(half, _mm512_add_ps(g0, g2));
  u[0] = g0;
  u[1] = _mm512_fmadd_ps(half, g1, ends);
  u[2] = _mm512_fnmadd_ps(half, g1, ends);
  u[3] = g2;
}

// Elements of a filter for channels of the input (rows) and kWinogradLanes of
// the output.
struct FilterTaps {
  const float* at;   // the first row
  int64_t tap, row;  // distances
  __mmask16 lanes;
};

// G g G^T for `rows` channels of the input. The transformed taps are `to_tap`
// apart, their rows `to_row`.
__attribute__((target("avx512f"))) void TransformTaps(const FilterTaps& taps,
                                                      int64_t rows,
                                                      int64_t to_tap,
                                                      int64_t to_row,
                                                      float* to) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* at = taps.at + r * taps.row;
    __m512 half[3][4];  // by column of g
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      const float* g = at + j * taps.tap;
      TransformThree(_mm512_maskz_loadu_ps(taps.lanes, g),
                     _mm512_maskz_loadu_ps(taps.lanes, g + 3 * taps.tap),
                     _mm512_maskz_loadu_ps(taps.lanes, g + 6 * taps.tap),
                     half[j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      __m512 u[4];
      TransformThree(half[0][i], half[1][i], half[2][i], u);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        _mm512_store_ps(to + (i * 4 + j) * to_tap + r * to_row, u[j]);
      }
    }
  }
}

// G^T u for a column or a row u.
MR_FILTER_INLINE void TransformToThree(const __m512& u0, const __m512& u1,
                                       const __m512& u2, const __m512& u3,
                                       __m512* g) {
  const __m512 half = _mm512_set1_ps(0.5f);
  const __m512 ends = _mm512_mul_ps(half, _mm512_add_ps(u1, u2));
  g[0] = _mm512_add_ps(u0, ends);
  g[1] = _mm512_mul_ps(half, _mm512_sub_ps(u1, u2));
  g[2] = _mm512_add_ps(ends, u3);
}

// The sum of `count` vectors, in order.
MR_FILTER_INLINE __m512 SumAt(const float* at, int64_t count) {
  __m512 sum = _mm512_load_ps(at);
  for (int64_t i = 1; i < count; ++i) {
    sum = _mm512_add_ps(sum, _mm512_load_ps(at + i * WinogradBlock::kSumsSize));
  }
  return sum;
}

// G^T u G for a channel of the input and kWinogradLanes of the output. `bad`
// becomes no number where a result is not finite.
MR_FILTER_INLINE __m512 TransformSums(const float* sums, int64_t count,
                                      __mmask16 lanes, int64_t tap, float* to,
                                      __m512 bad) {
  __m512 half[3][4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const float* at = sums + j * WinogradBlock::kSumsTap;
    __m512 g[3];
    TransformToThree(SumAt(at, count),
                     SumAt(at + 4 * WinogradBlock::kSumsTap, count),
                     SumAt(at + 8 * WinogradBlock::kSumsTap, count),
                     SumAt(at + 12 * WinogradBlock::kSumsTap, count), g);
    for (int i = 0; i < 3; ++i) half[i][j] = g[i];
  }
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    __m512 g[3];
    TransformToThree(half[i][0], half[i][1], half[i][2], half[i][3], g);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      _mm512_mask_storeu_ps(to + (i * 3 + j) * tap, lanes, g[j]);
      bad = _mm512_fmadd_ps(g[j], _mm512_setzero_ps(), bad);
    }
  }
  return bad;
}

}  // namespace

int64_t WinogradFilterSize(const TiledConv& c) {
  const int64_t vectors = (c.out_depth + kWinogradLanes - 1) / kWinogradLanes;
  return kWinogradTaps * c.in_depth * vectors * kWinogradLanes;
}

void TransformFilter(const TiledConv& c, const WinogradFilter& filter,
                     int64_t first, float* transformed) {
  const int64_t rows = std::min(kWinogradLanes, c.in_depth - first);
  const int64_t tap = c.in_depth * c.out_depth;
  alignas(64) float turned[kFilterTaps * kWinogradLanes * kWinogradLanes];
  for (int64_t p = 0; p < WinogradPanel::Count(c.out_depth); ++p) {
    const WinogradPanel panel = WinogradPanel::At(c.out_depth, p);
    const int64_t width = panel.vectors * kWinogradLanes;
    for (int64_t v = 0; v < panel.vectors; ++v) {
      const int64_t out = panel.first + v * kWinogradLanes;
      const int64_t columns = std::min(kWinogradLanes, c.out_depth - out);
      FilterTaps taps{filter.elements + first * c.out_depth + out, tap,
                      c.out_depth, FirstLanes(columns)};
      if (filter.turned) {
        for (int64_t t = 0; t < kFilterTaps; ++t) {
          TurnSquare(
              filter.elements + t * tap + out * c.in_depth + first, c.in_depth,
              columns, rows,
              turned + (kFilterTaps - 1 - t) * kWinogradLanes * kWinogradLanes);
        }
        taps = {turned, kWinogradLanes * kWinogradLanes, kWinogradLanes,
                FirstLanes(kWinogradLanes)};
      }
      TransformTaps(taps, rows, c.in_depth * width, width,
                    transformed + panel.first * c.in_depth * kWinogradTaps +
                        first * width + v * kWinogradLanes);
    }
  }
}

__attribute__((target("avx512f"))) bool SumsToFilter(
    const TiledConv& c, const WinogradPanel& in, const WinogradPanel& out,
    const float* sums, int64_t count, float* filter) {
  const int64_t channels =
      std::min(in.vectors * kWinogradLanes, c.in_depth - in.first);
  __m512 bad = _mm512_setzero_ps();
  for (int64_t i = 0; i < channels; ++i) {
    for (int64_t v = 0; v < out.vectors; ++v) {
      const int64_t first = out.first + v * kWinogradLanes;
      bad = TransformSums(sums + i * WinogradPanel::kMost + v * kWinogradLanes,
                          count, FirstLanes(c.out_depth - first),
                          c.in_depth * c.out_depth,
                          filter + (in.first + i) * c.out_depth + first, bad);
    }
  }
  return _mm512_cmp_ps_mask(bad, bad, _CMP_UNORD_Q) == 0;
}

}  // namespace millrace::ops
