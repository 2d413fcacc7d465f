#include "millrace/ops/product/packed_loops.h"

#include <algorithm>

#include "millrace/ops/product/transpose_avx2.h"

#define MR_AVX2 __attribute__((target("avx2,fma")))
#define MR_AVX2_INLINE MR_AVX2 __attribute__((always_inline)) inline

namespace millrace::ops {
namespace {

constexpr int64_t kLanes = 8;

// Packs up to kLines lines from depth `first` on, one element at a time.
template <int64_t kLines>
void PackElements(const FactorLines& x, int64_t lines, int64_t first,
                  int64_t depth, float* to) {
  for (int64_t p = first; p < depth; ++p) {
    for (int64_t i = 0; i < kLines; ++i) {
      to[p * kLines + i] = i < lines ? x.at[i * x.across + p * x.along] : 0;
    }
  }
}

// Packs lines that are next to each other, element by element.
template <int64_t kLines>
MR_AVX2_INLINE void CopyStrip(const FactorLines& x, int64_t depth, float* to) {
  const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
  for (int64_t p = 0; p < depth; ++p) {
    const float* const from = x.at + p * x.along;
    if constexpr (kLines == kTileRows) {
      // The next store overwrites what this one writes beyond its six elements.
      _mm256_storeu_ps(to + p * kLines, _mm256_maskload_ps(from, six));
    } else {
#pragma GCC unroll 2
      for (int64_t i = 0; i < kLines; i += kLanes) {
        _mm256_storeu_ps(to + p * kLines + i, _mm256_loadu_ps(from + i));
      }
    }
  }
}

// Packs lines whose elements are contiguous, by transposing them.
template <int64_t kLines>
MR_AVX2_INLINE void PackTransposed(const FactorLines& x, int64_t depth,
                                   float* to) {
  int64_t p = 0;
  for (; p + kLanes <= depth; p += kLanes) {
#pragma GCC unroll 2
    for (int64_t first = 0; first < kLines; first += kLanes) {
      __m256 square[kLanes];
#pragma GCC unroll 8
      for (int64_t i = 0; i < kLanes; ++i) {
        square[i] = first + i < kLines
                        ? _mm256_loadu_ps(x.at + (first + i) * x.across + p)
                        : _mm256_setzero_ps();
      }
      Transpose8x8(square);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kLanes; ++i) {
        _mm256_storeu_ps(to + (p + i) * kLines + first, square[i]);
      }
    }
  }
  PackElements<kLines>(x, kLines, p, depth, to);
}

template <int64_t kLines>
MR_AVX2 void PackStrips(const FactorLines& x, int64_t lines, int64_t depth,
                        float* to) {
  for (int64_t line = 0; line < lines; line += kLines, to += kLines * depth) {
    const FactorLines strip = x.From(line, 0);
    if (line + kLines > lines) {
      PackElements<kLines>(strip, lines - line, 0, depth, to);
    } else if (x.across == 1) {
      CopyStrip<kLines>(strip, depth, to);
    } else {
      PackTransposed<kLines>(strip, depth, to);
    }
  }
}

struct Tile {
  static constexpr int64_t kVectors = kTileColumns / kLanes;
  __m256 sums[kTileRows][kVectors];
};

MR_AVX2_INLINE void AddOuterProduct(const float* a, const float* b,
                                    Tile& tile) {
  __m256 columns[Tile::kVectors];
#pragma GCC unroll 2
  for (int64_t j = 0; j < Tile::kVectors; ++j) {
    columns[j] = _mm256_load_ps(b + j * kLanes);
  }
#pragma GCC unroll 6
  for (int64_t i = 0; i < kTileRows; ++i) {
    const __m256 x = _mm256_broadcast_ss(a + i);
#pragma GCC unroll 2
    for (int64_t j = 0; j < Tile::kVectors; ++j) {
      tile.sums[i][j] = _mm256_fmadd_ps(x, columns[j], tile.sums[i][j]);
    }
  }
}

MR_AVX2_INLINE void StoreTile(const Tile& tile, float* c, int64_t stride,
                              bool accumulate) {
#pragma GCC unroll 6
  for (int64_t i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
    for (int64_t j = 0; j < Tile::kVectors; ++j) {
      float* const at = c + i * stride + j * kLanes;
      _mm256_storeu_ps(
          at, accumulate ? _mm256_add_ps(_mm256_loadu_ps(at), tile.sums[i][j])
                         : tile.sums[i][j]);
    }
  }
}

}  // namespace

void PackTileRows(const FactorLines& a, int64_t lines, int64_t depth,
                  float* to) {
  PackStrips<kTileRows>(a, lines, depth, to);
}

void PackTileColumns(const FactorLines& b, int64_t lines, int64_t depth,
                     float* to) {
  PackStrips<kTileColumns>(b, lines, depth, to);
}

MR_AVX2 void MultiplyStrips(const float* a, const float* b, int64_t depth,
                            int64_t rows, int64_t columns, float* c,
                            int64_t c_stride, bool accumulate) {
  Tile tile;
#pragma GCC unroll 6
  for (int64_t i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
    for (int64_t j = 0; j < Tile::kVectors; ++j) {
      tile.sums[i][j] = _mm256_setzero_ps();
    }
  }
  int64_t p = 0;
  for (; p + 4 <= depth; p += 4) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < 4; ++i) {
      AddOuterProduct(a + i * kTileRows, b + i * kTileColumns, tile);
    }
    a += 4 * kTileRows;
    b += 4 * kTileColumns;
  }
  for (; p < depth; ++p) {
    AddOuterProduct(a, b, tile);
    a += kTileRows;
    b += kTileColumns;
  }
  if (rows == kTileRows && columns == kTileColumns) {
    return StoreTile(tile, c, c_stride, accumulate);
  }
  float whole[kTileRows * kTileColumns];
  StoreTile(tile, whole, kTileColumns, /*accumulate=*/false);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float& at = c[i * c_stride + j];
      const float sum = whole[i * kTileColumns + j];
      at = accumulate ? at + sum : sum;
    }
  }
}

}  // namespace millrace::ops
