#include "millrace/ops/nn/winograd_tiles.h"

#include <immintrin.h>

#include <algorithm>

namespace millrace::ops {
namespace {

#define MR_TILE_FUNCTION __attribute__((target("avx512f")))
#define MR_TILE_INLINE __attribute__((target("avx512f"), always_inline)) inline

constexpr int64_t PaddedDepth(int64_t depth) {
  return (depth + kWinogradLanes - 1) / kWinogradLanes * kWinogradLanes;
}

// The lanes that are channels.
__mmask16 LanesBefore(int64_t end, int64_t first) {
  const int64_t n = std::min(end - first, kWinogradLanes);
  return static_cast<__mmask16>((1u << n) - 1);
}

// Where a tile is.
class TilePlace {
 public:
  TilePlace(const TiledConv& c, int64_t tile)
      : rows_(c.TileRows() * 2),
        columns_(c.TileColumns() * 2),
        image_(tile / (c.TileRows() * c.TileColumns())),
        row_(tile / c.TileColumns() % c.TileRows() * 2),
        column_(tile % c.TileColumns() * 2) {}

  void Advance() {
    column_ += 2;
    if (column_ < columns_) return;
    column_ = 0;
    row_ += 2;
    if (row_ < rows_) return;
    row_ = 0;
    ++image_;
  }
  int64_t image() const { return image_; }
  int64_t row() const { return row_; }  // of outputs
  int64_t column() const { return column_; }

 private:
  int64_t rows_, columns_, image_, row_, column_;
};

// The 16 inputs of a tile. Those outside have a valid address and no mask.
struct TileInputs {
  const float* at[4][4];
  __mmask16 mask[4][4];
  bool inside;  // all of them

  TileInputs(const TiledConv& c, const float* x, const TilePlace& place) {
    const int64_t first_row = place.row() - c.rows_before;
    const int64_t first_column = place.column() - c.columns_before;
    const int64_t first =
        ((place.image() * c.in_rows + first_row) * c.in_columns +
         first_column) *
        c.in_depth;
    inside = first_row >= 0 && first_row + 4 <= c.in_rows &&
             first_column >= 0 && first_column + 4 <= c.in_columns;
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        int64_t here = first + (i * c.in_columns + j) * c.in_depth;
        mask[i][j] = 0xffff;
        if (!inside) {
          const int64_t row = first_row + i, column = first_column + j;
          const bool is_in = row >= 0 && row < c.in_rows && column >= 0 &&
                             column < c.in_columns;
          if (!is_in) here = mask[i][j] = 0;
        }
        at[i][j] = x + here;
      }
    }
  }
};

// B^T d for a column or a row d.
MR_TILE_INLINE void TransformFour(__m512& d0, __m512& d1, __m512& d2,
                                  __m512& d3) {
  const __m512 first = _mm512_sub_ps(d0, d2), last = _mm512_sub_ps(d1, d3);
  const __m512 sum = _mm512_add_ps(d1, d2), difference = _mm512_sub_ps(d2, d1);
  d0 = first;
  d1 = sum;
  d2 = difference;
  d3 = last;
}

// B^T d B for kWinogradLanes channels from `first` on.
template <bool kMasked>
MR_TILE_INLINE void TransformLanes(const TileInputs& inputs, int64_t first,
                                   __mmask16 lanes, float* to, int64_t stride) {
  __m512 d[4][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* at = inputs.at[i][j] + first;
      d[i][j] = kMasked
                    ? _mm512_maskz_loadu_ps(
                          static_cast<__mmask16>(lanes & inputs.mask[i][j]), at)
                    : _mm512_loadu_ps(at);
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
      _mm512_store_ps(to + (i * 4 + j) * stride, d[i][j]);
    }
  }
}

MR_TILE_FUNCTION void TransformTile(const TileInputs& inputs, int64_t depth,
                                    float* to, int64_t stride) {
  int64_t c = 0;
  if (inputs.inside) {
    for (; c + kWinogradLanes <= depth; c += kWinogradLanes) {
      TransformLanes<false>(inputs, c, 0, to + c, stride);
    }
  }
  for (; c < depth; c += kWinogradLanes) {
    TransformLanes<true>(inputs, c, LanesBefore(depth, c), to + c, stride);
  }
}

// A^T m for a column or a row m.
MR_TILE_INLINE void TransformBack(const __m512& m0, const __m512& m1,
                                  const __m512& m2, const __m512& m3,
                                  __m512* y0, __m512* y1) {
  *y0 = _mm512_add_ps(m0, _mm512_add_ps(m1, m2));
  *y1 = _mm512_sub_ps(_mm512_sub_ps(m1, m2), m3);
}

// A^T m A for a tile and the channels of a panel. y is the output's first
// pixel of the tile and channel of the panel; it has `rows` x `columns` pixels.
// `bad` becomes no number where an output is not finite.
MR_TILE_INLINE __m512 TransformTileBack(const float* m, int64_t stride,
                                        int64_t vectors, int64_t channels,
                                        int64_t y_row, int64_t y_column,
                                        int64_t rows, int64_t columns, float* y,
                                        __m512 bad) {
  for (int64_t v = 0; v < vectors; ++v) {
    const __mmask16 lanes = LanesBefore(channels, v * kWinogradLanes);
    __m512 half[2][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* at = m + v * kWinogradLanes + j * stride;
      TransformBack(_mm512_load_ps(at), _mm512_load_ps(at + 4 * stride),
                    _mm512_load_ps(at + 8 * stride),
                    _mm512_load_ps(at + 12 * stride), &half[0][j], &half[1][j]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      if (i >= rows) break;
      __m512 y0, y1;
      TransformBack(half[i][0], half[i][1], half[i][2], half[i][3], &y0, &y1);
      float* to = y + i * y_row + v * kWinogradLanes;
      _mm512_mask_storeu_ps(to, lanes, y0);
      bad = _mm512_fmadd_ps(y0, _mm512_setzero_ps(), bad);
      if (columns > 1) {
        _mm512_mask_storeu_ps(to + y_column, lanes, y1);
        bad = _mm512_fmadd_ps(y1, _mm512_setzero_ps(), bad);
      }
    }
  }
  return bad;
}

// A e for a column or a row e of two.
MR_TILE_INLINE void TransformTwo(const __m512& e0, const __m512& e1,
                                 __m512* to) {
  to[0] = e0;
  to[1] = _mm512_add_ps(e0, e1);
  to[2] = _mm512_sub_ps(e0, e1);
  to[3] = _mm512_sub_ps(_mm512_setzero_ps(), e1);
}

// A e A^T for a tile of the output's gradient, e, and the channels of a panel;
// as TransformTileBack.
MR_TILE_INLINE void TransformTileGradient(const float* dy, int64_t y_row,
                                          int64_t y_column, int64_t rows,
                                          int64_t columns, int64_t vectors,
                                          int64_t channels, float* to,
                                          int64_t stride) {
  for (int64_t v = 0; v < vectors; ++v) {
    const __mmask16 lanes = LanesBefore(channels, v * kWinogradLanes);
    const float* at = dy + v * kWinogradLanes;
    const __m512 zero = _mm512_setzero_ps();
    const __m512 e00 = _mm512_maskz_loadu_ps(lanes, at);
    const __m512 e01 =
        columns > 1 ? _mm512_maskz_loadu_ps(lanes, at + y_column) : zero;
    const __m512 e10 =
        rows > 1 ? _mm512_maskz_loadu_ps(lanes, at + y_row) : zero;
    const __m512 e11 = rows > 1 && columns > 1
                           ? _mm512_maskz_loadu_ps(lanes, at + y_row + y_column)
                           : zero;
    __m512 half[2][4];
    TransformTwo(e00, e10, half[0]);
    TransformTwo(e01, e11, half[1]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      __m512 taps[4];
      TransformTwo(half[0][i], half[1][i], taps);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        _mm512_store_ps(to + (i * 4 + j) * stride + v * kWinogradLanes,
                        taps[j]);
      }
    }
  }
}

MR_TILE_FUNCTION void TransformTilesGradient(const TiledConv& c,
                                             const WinogradPanel& panel,
                                             int64_t first, int64_t n,
                                             const float* dy, float* to,
                                             int64_t stride) {
  TilePlace place(c, first);
  for (int64_t t = 0; t < n; ++t, place.Advance()) {
    const int64_t pixel =
        (place.image() * c.out_rows + place.row()) * c.out_columns +
        place.column();
    TransformTileGradient(
        dy + pixel * c.out_depth + panel.first, c.out_columns * c.out_depth,
        c.out_depth, c.out_rows - place.row(), c.out_columns - place.column(),
        panel.vectors, c.out_depth - panel.first, to + t * WinogradPanel::kMost,
        stride);
  }
}

MR_TILE_FUNCTION bool TransformTilesBack(const TiledConv& c,
                                         const WinogradPanel& panel,
                                         int64_t first, int64_t n,
                                         const float* m, int64_t stride,
                                         float* y) {
  __m512 bad = _mm512_setzero_ps();
  TilePlace place(c, first);
  for (int64_t t = 0; t < n; ++t, place.Advance()) {
    const int64_t pixel =
        (place.image() * c.out_rows + place.row()) * c.out_columns +
        place.column();
    bad = TransformTileBack(
        m + t * WinogradPanel::kMost, stride, panel.vectors,
        c.out_depth - panel.first, c.out_columns * c.out_depth, c.out_depth,
        c.out_rows - place.row(), c.out_columns - place.column(),
        y + pixel * c.out_depth + panel.first, bad);
  }
  return _mm512_cmp_ps_mask(bad, bad, _CMP_UNORD_Q) == 0;
}

}  // namespace

int64_t WinogradPanel::Count(int64_t out_depth) {
  return (out_depth + kMost - 1) / kMost;
}

// As even as can be: narrow ones multiply slower.
WinogradPanel WinogradPanel::At(int64_t out_depth, int64_t index) {
  const int64_t vectors = PaddedDepth(out_depth) / kWinogradLanes,
                n = Count(out_depth);
  const int64_t first = vectors * index / n;
  return {first * kWinogradLanes, vectors * (index + 1) / n - first};
}

WinogradBlock::WinogradBlock(int64_t tiles, int64_t in_depth)
    : tiles_(tiles),
      in_row_(PaddedDepth(in_depth)),
      // A power of two would put all taps of a tile in the same few lines of
      // the cache.
      in_stride_(tiles * in_row_ + kWinogradLanes),
      out_stride_(tiles * WinogradPanel::kMost + kWinogradLanes) {}

void WinogradBlock::TransformInput(const TiledConv& c, const float* x,
                                   int64_t channels, int64_t first, int64_t n,
                                   float* block) const {
  TilePlace place(c, first);
  for (int64_t t = 0; t < n; ++t, place.Advance()) {
    const TileInputs inputs(c, x, place);
    TransformTile(inputs, channels, block + t * in_row_, in_stride_);
  }
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
  return TransformTilesBack(c, panel, first, n,
                            block + kWinogradTaps * in_stride_, out_stride_, y);
}

void WinogradBlock::TransformGradient(const TiledConv& c,
                                      const WinogradPanel& panel,
                                      const float* dy, int64_t first, int64_t n,
                                      float* block) const {
  TransformTilesGradient(c, panel, first, n, dy,
                         block + kWinogradTaps * in_stride_, out_stride_);
}

}  // namespace millrace::ops
