// Transposes one block of a matrix, by element size.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace millrace::ops {

// Assigns dst[r * dst_stride + c] = src[c * src_stride + r] for r < rows, c <
// columns: the source is contiguous along r, the destination along c.
struct TransposeBlock {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t src_stride = 0;
  int64_t dst_stride = 0;
  // Uses non-temporal stores, for results larger than the caches. Requires:
  // Fence() is called afterwards.
  bool stream = false;

  static void Fence() { _mm_sfence(); }
  template <class T>
  void Run(const T* src, T* dst) const;

 private:
  // 16 x 16 elements stay in the first-level cache for any stride.
  static constexpr int64_t kTile = 16;

  template <class T>
  void Tile(const T* src, T* dst, int64_t n_rows, int64_t n_columns) const {
    for (int64_t r = 0; r < n_rows; ++r) {
      for (int64_t c = 0; c < n_columns; ++c)
        dst[r * dst_stride + c] = src[c * src_stride + r];
    }
  }

  using Vector = uint32_t __attribute__((vector_size(16)));

  // Transposes 4 x 4 elements of 4 bytes in registers: out[r] is column r of
  // the source.
  void Four(const uint32_t* src, Vector* out, int64_t step) const {
    Vector a, b, c, d;
    std::memcpy(&a, src, 16);
    std::memcpy(&b, src + src_stride, 16);
    std::memcpy(&c, src + 2 * src_stride, 16);
    std::memcpy(&d, src + 3 * src_stride, 16);
    const Vector ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Vector ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Vector cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Vector cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[step] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[2 * step] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[3 * step] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  }

  // Transposes 16 x 16 elements of 4 bytes; each destination row is written in
  // one go.
  void FullTile(const uint32_t* src, uint32_t* dst) const {
    for (int64_t r = 0; r < kTile; r += 4) {
      Vector lines[4][4];
      for (int64_t c = 0; c < 4; ++c) {
        Four(src + 4 * c * src_stride + r, &lines[0][c], 4);
      }
      for (int64_t i = 0; i < 4; ++i) {
        uint32_t* to = dst + (r + i) * dst_stride;
        if (stream && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
          for (int64_t c = 0; c < 4; ++c) {
            __m128i v;
            std::memcpy(&v, &lines[i][c], 16);
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + 4 * c), v);
          }
        } else {
          std::memcpy(to, lines[i], 64);
        }
      }
    }
  }
};

template <class T>
void TransposeBlock::Run(const T* src, T* dst) const {
  for (int64_t r = 0; r < rows; r += kTile) {
    const int64_t n_rows = std::min(kTile, rows - r);
    for (int64_t c = 0; c < columns; c += kTile) {
      const int64_t n_columns = std::min(kTile, columns - c);
      const T* from = src + c * src_stride + r;
      T* to = dst + r * dst_stride + c;
      if constexpr (sizeof(T) == 4) {
        if (n_rows == kTile && n_columns == kTile) {
          FullTile(from, to);
          continue;
        }
      }
      Tile(from, to, n_rows, n_columns);
    }
  }
}

}  // namespace millrace::ops
