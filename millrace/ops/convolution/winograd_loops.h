// The loops of WinogradKernels over vectors V (vector_lanes.h). The including
// file must define the instruction set, since the target of a function cannot
// be a template parameter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "millrace/ops/convolution/vector_lanes.h"
#include "millrace/ops/convolution/winograd_kernels.h"
#include "millrace/ops/convolution/winograd_places.h"

// The default is for tools that read this file alone. Vectors of another set do
// not compile with it.
#ifndef MR_LOOPS_TARGET
#define MR_LOOPS_TARGET __attribute__((target("avx512f")))
#endif
#define MR_LOOPS_INLINE MR_LOOPS_TARGET __attribute__((always_inline)) inline

namespace millrace::ops {

template <class V>
class WinogradLoops {
 public:
  static constexpr WinogradKernels Kernels(
      const char* name,
      decltype(WinogradKernels::transpose_square) transpose_square) {
    return {name,
            TransformInput,
            TransformOutput,
            TransformGradient,
            {MultiplyRows<1, false>, MultiplyRows<2, false>,
             MultiplyRows<3, false>, MultiplyRows<4, false>},
            {MultiplyRows<1, true>, MultiplyRows<2, true>,
             MultiplyRows<3, true>, MultiplyRows<4, true>},
            transpose_square,
            TransformTaps,
            SumsToFilter};
  }

 private:
  using Vector = typename V::Vector;
  using Mask = typename V::Mask;
  using Strip = WinogradKernels::Strip;

  // The number of vectors in kWinogradLanes.
  static constexpr int64_t kParts = kWinogradLanes / V::kLanes;
  static constexpr int kStripRows = static_cast<int>(WinogradBlock::kStrip);

  // Computes B^T d for a column or a row d, in place.
  static MR_LOOPS_INLINE void TransformFour(Vector& d0, Vector& d1, Vector& d2,
                                            Vector& d3) {
    const Vector first = V::Sub(d0, d2), last = V::Sub(d1, d3);
    const Vector sum = V::Add(d1, d2), difference = V::Sub(d2, d1);
    d0 = first;
    d1 = sum;
    d2 = difference;
    d3 = last;
  }

  // Computes B^T d B for the channels of a vector from `first` on.
  template <bool kMasked>
  static MR_LOOPS_INLINE void TransformLanes(const TileInputs& inputs,
                                             int64_t first, Mask lanes,
                                             float* to, int64_t stride) {
    Vector d[4][4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const float* at = inputs.at[i][j] + first;
        d[i][j] = kMasked ? V::LoadMasked(V::And(lanes, inputs.mask[i][j]), at)
                          : V::LoadUnaligned(at);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      TransformFour(d[0][j], d[1][j], d[2][j], d[3][j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      TransformFour(d[i][0], d[i][1], d[i][2], d[i][3]);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        V::Store(to + (i * 4 + j) * stride, d[i][j]);
      }
    }
  }

  static MR_LOOPS_TARGET void TransformTile(const TileInputs& inputs,
                                            int64_t depth, float* to,
                                            int64_t stride) {
    int64_t c = 0;
    if (inputs.inside) {
      for (; c + V::kLanes <= depth; c += V::kLanes) {
        TransformLanes<false>(inputs, c, V::First(0), to + c, stride);
      }
    }
    for (; c < depth; c += V::kLanes) {
      TransformLanes<true>(inputs, c, V::First(depth - c), to + c, stride);
    }
  }

  static void TransformInput(const TiledConv& c, const float* x,
                             int64_t channels, int64_t first, int64_t n,
                             int64_t row, int64_t stride, float* to) {
    TilePlace place(c, first);
    for (int64_t t = 0; t < n; ++t, place.Advance()) {
      const TileInputs inputs(c, x, place);
      TransformTile(inputs, channels, to + t * row, stride);
    }
  }

  // Computes A^T m for a column or a row m.
  static MR_LOOPS_INLINE void TransformBack(const Vector& m0, const Vector& m1,
                                            const Vector& m2, const Vector& m3,
                                            Vector* y0, Vector* y1) {
    *y0 = V::Add(m0, V::Add(m1, m2));
    *y1 = V::Sub(V::Sub(m1, m2), m3);
  }

  // Computes A^T m A for a tile and the channels of a panel. y is the output's
  // first pixel of the tile and channel of the panel; it has `rows` x `columns`
  // pixels. Returns `bad`, with NaN where an output is not finite.
  static MR_LOOPS_INLINE Vector
  TransformTileBack(const float* m, int64_t stride, int64_t vectors,
                    int64_t channels, int64_t y_row, int64_t y_column,
                    int64_t rows, int64_t columns, float* y, Vector bad) {
    for (int64_t v = 0; v < vectors; ++v) {
      const Mask lanes = V::First(channels - v * V::kLanes);
      Vector half[2][4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const float* at = m + v * V::kLanes + j * stride;
        TransformBack(V::Load(at), V::Load(at + 4 * stride),
                      V::Load(at + 8 * stride), V::Load(at + 12 * stride),
                      &half[0][j], &half[1][j]);
      }
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        if (i >= rows) break;
        Vector y0, y1;
        TransformBack(half[i][0], half[i][1], half[i][2], half[i][3], &y0, &y1);
        float* to = y + i * y_row + v * V::kLanes;
        V::StoreMasked(to, lanes, y0);
        bad = V::MulAdd(y0, V::Zero(), bad);
        if (columns > 1) {
          V::StoreMasked(to + y_column, lanes, y1);
          bad = V::MulAdd(y1, V::Zero(), bad);
        }
      }
    }
    return bad;
  }

  static MR_LOOPS_TARGET bool TransformOutput(const TiledConv& c,
                                              const WinogradPanel& panel,
                                              int64_t first, int64_t n,
                                              const float* m, int64_t stride,
                                              float* y) {
    Vector bad = V::Zero();
    TilePlace place(c, first);
    for (int64_t t = 0; t < n; ++t, place.Advance()) {
      bad = TransformTileBack(
          m + t * WinogradPanel::kMaxChannels, stride, panel.vectors * kParts,
          c.out_depth - panel.first, c.out_columns * c.out_depth, c.out_depth,
          c.out_rows - place.row(), c.out_columns - place.column(),
          y + place.Pixel(c) * c.out_depth + panel.first, bad);
    }
    return !V::AnyNaN(bad);
  }

  // Computes A e for a column or a row e of two.
  static MR_LOOPS_INLINE void TransformTwo(const Vector& e0, const Vector& e1,
                                           Vector* to) {
    to[0] = e0;
    to[1] = V::Add(e0, e1);
    to[2] = V::Sub(e0, e1);
    to[3] = V::Sub(V::Zero(), e1);
  }

  // Computes A e A^T for a tile of the output's gradient, e, and the channels
  // of a panel; the arguments are those of TransformTileBack.
  static MR_LOOPS_INLINE void TransformTileGradient(
      const float* dy, int64_t y_row, int64_t y_column, int64_t rows,
      int64_t columns, int64_t vectors, int64_t channels, float* to,
      int64_t stride) {
    for (int64_t v = 0; v < vectors; ++v) {
      const Mask lanes = V::First(channels - v * V::kLanes);
      const float* at = dy + v * V::kLanes;
      const Vector zero = V::Zero();
      const Vector e00 = V::LoadMasked(lanes, at);
      const Vector e01 =
          columns > 1 ? V::LoadMasked(lanes, at + y_column) : zero;
      const Vector e10 = rows > 1 ? V::LoadMasked(lanes, at + y_row) : zero;
      const Vector e11 = rows > 1 && columns > 1
                             ? V::LoadMasked(lanes, at + y_row + y_column)
                             : zero;
      Vector half[2][4];
      TransformTwo(e00, e10, half[0]);
      TransformTwo(e01, e11, half[1]);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        Vector taps[4];
        TransformTwo(half[0][i], half[1][i], taps);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          V::Store(to + (i * 4 + j) * stride + v * V::kLanes, taps[j]);
        }
      }
    }
  }

  static MR_LOOPS_TARGET void TransformGradient(const TiledConv& c,
                                                const WinogradPanel& panel,
                                                int64_t first, int64_t n,
                                                const float* dy, int64_t stride,
                                                float* to) {
    TilePlace place(c, first);
    for (int64_t t = 0; t < n; ++t, place.Advance()) {
      TransformTileGradient(dy + place.Pixel(c) * c.out_depth + panel.first,
                            c.out_columns * c.out_depth, c.out_depth,
                            c.out_rows - place.row(),
                            c.out_columns - place.column(),
                            panel.vectors * kParts, c.out_depth - panel.first,
                            to + t * WinogradPanel::kMaxChannels, stride);
    }
  }

  // Multiplies a strip by kVectors vectors. With six rows, the sums take all
  // registers but a few.
  template <int kVectors, bool kAdds>
  static MR_LOOPS_INLINE void MultiplyStrip(const Strip& strip, const float* b,
                                            int64_t b_row, int64_t depth,
                                            float* c) {
    const float* a = strip.at;
    const int64_t a_row = strip.row, a_step = strip.step;
    Vector sums[kStripRows][kVectors];
#pragma GCC unroll 6
    for (int i = 0; i < kStripRows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        sums[i][j] =
            kAdds ? V::Load(c + i * WinogradPanel::kMaxChannels + j * V::kLanes)
                  : V::Zero();
      }
    }
    for (int64_t k = 0; k < depth; ++k) {
      Vector y[kVectors];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) y[j] = V::Load(b + j * V::kLanes);
      b += b_row;
#pragma GCC unroll 6
      for (int i = 0; i < kStripRows; ++i) {
        const Vector x = V::All(a[i * a_row]);
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
          sums[i][j] = V::MulAdd(x, y[j], sums[i][j]);
        }
      }
      a += a_step;
    }
#pragma GCC unroll 6
    for (int i = 0; i < kStripRows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        V::Store(c + i * WinogradPanel::kMaxChannels + j * V::kLanes,
                 sums[i][j]);
      }
    }
  }

  // Without AVX-512, the registers suffice for kWinogradLanes of a panel at a
  // time.
  template <int kVectors, bool kAdds>
  static MR_LOOPS_TARGET void MultiplyRows(const Strip& a, const float* b,
                                           int64_t b_row, int64_t depth,
                                           float* c) {
    if constexpr (kParts == 1) {
      MultiplyStrip<kVectors, kAdds>(a, b, b_row, depth, c);
    } else {
      for (int64_t v = 0; v < kVectors; ++v) {
        MultiplyStrip<kParts, kAdds>(a, b + v * kWinogradLanes, b_row, depth,
                                     c + v * kWinogradLanes);
      }
    }
  }

  // Computes G g for a column or a row g.
  static MR_LOOPS_INLINE void TransformThree(const Vector& g0, const Vector& g1,
                                             const Vector& g2, Vector* u) {
    const Vector half = V::All(0.5f);
    const Vector ends = V::Mul(half, V::Add(g0, g2));
    u[0] = g0;
    u[1] = V::MulAdd(half, g1, ends);
    u[2] = V::NegMulAdd(half, g1, ends);
    u[3] = g2;
  }

  static MR_LOOPS_TARGET void TransformTaps(
      const WinogradKernels::FilterTaps& taps, int64_t rows, int64_t to_tap,
      int64_t to_row, float* to) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t v = 0; v < kParts; ++v) {
        const Mask lanes = V::First(taps.columns - v * V::kLanes);
        const float* at = taps.at + r * taps.row + v * V::kLanes;
        float* const to_lanes = to + r * to_row + v * V::kLanes;
        Vector half[3][4];  // by column of g
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) {
          const float* g = at + j * taps.tap;
          TransformThree(V::LoadMasked(lanes, g),
                         V::LoadMasked(lanes, g + 3 * taps.tap),
                         V::LoadMasked(lanes, g + 6 * taps.tap), half[j]);
        }
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          Vector u[4];
          TransformThree(half[0][i], half[1][i], half[2][i], u);
#pragma GCC unroll 4
          for (int j = 0; j < 4; ++j) {
            V::Store(to_lanes + (i * 4 + j) * to_tap, u[j]);
          }
        }
      }
    }
  }

  // Computes G^T u for a column or a row u.
  static MR_LOOPS_INLINE void TransformToThree(const Vector& u0,
                                               const Vector& u1,
                                               const Vector& u2,
                                               const Vector& u3, Vector* g) {
    const Vector half = V::All(0.5f);
    const Vector ends = V::Mul(half, V::Add(u1, u2));
    g[0] = V::Add(u0, ends);
    g[1] = V::Mul(half, V::Sub(u1, u2));
    g[2] = V::Add(ends, u3);
  }

  // Returns the sum of `count` vectors, added in order.
  static MR_LOOPS_INLINE Vector SumAt(const float* at, int64_t count) {
    Vector sum = V::Load(at);
    for (int64_t i = 1; i < count; ++i) {
      sum = V::Add(sum, V::Load(at + i * WinogradBlock::kSumsSize));
    }
    return sum;
  }

  // Computes G^T u G for a channel of the input and a vector of the output's.
  // Returns `bad`, with NaN where a result is not finite.
  static MR_LOOPS_INLINE Vector TransformSums(const float* sums, int64_t count,
                                              Mask lanes, int64_t tap,
                                              float* to, Vector bad) {
    Vector half[3][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* at = sums + j * WinogradBlock::kSumsTap;
      Vector g[3];
      TransformToThree(SumAt(at, count),
                       SumAt(at + 4 * WinogradBlock::kSumsTap, count),
                       SumAt(at + 8 * WinogradBlock::kSumsTap, count),
                       SumAt(at + 12 * WinogradBlock::kSumsTap, count), g);
      for (int i = 0; i < 3; ++i) half[i][j] = g[i];
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      Vector g[3];
      TransformToThree(half[i][0], half[i][1], half[i][2], half[i][3], g);
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        V::StoreMasked(to + (i * 3 + j) * tap, lanes, g[j]);
        bad = V::MulAdd(g[j], V::Zero(), bad);
      }
    }
    return bad;
  }

  static MR_LOOPS_TARGET bool SumsToFilter(const TiledConv& c,
                                           const WinogradPanel& in,
                                           const WinogradPanel& out,
                                           const float* sums, int64_t count,
                                           float* filter) {
    const int64_t channels =
        std::min(in.vectors * kWinogradLanes, c.in_depth - in.first);
    Vector bad = V::Zero();
    for (int64_t i = 0; i < channels; ++i) {
      for (int64_t v = 0; v < out.vectors * kParts; ++v) {
        const int64_t first = out.first + v * V::kLanes;
        bad = TransformSums(
            sums + i * WinogradPanel::kMaxChannels + v * V::kLanes, count,
            V::First(c.out_depth - first), c.in_depth * c.out_depth,
            filter + (in.first + i) * c.out_depth + first, bad);
      }
    }
    return !V::AnyNaN(bad);
  }
};

}  // namespace millrace::ops
