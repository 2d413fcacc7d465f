// Transposing one block of a matrix, by element size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace millrace::ops {

// dst[r * dst_stride + c] = src[c * src_stride + r] for r < rows, c < columns:
// the source is contiguous along r, the destination along c.
struct TransposeBlock {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t src_stride = 0;
  int64_t dst_stride = 0;

  template <class T>
  void Run(const T* src, T* dst) const;

 private:
  // 16 x 16 elements stay in the first cache whatever the strides are.
  static constexpr int64_t kTile = 16;

  template <class T>
  void Tile(const T* src, T* dst, int64_t n_rows, int64_t n_columns) const {
    for (int64_t r = 0; r < n_rows; ++r) {
      for (int64_t c = 0; c < n_columns; ++c)
        dst[r * dst_stride + c] = src[c * src_stride + r];
    }
  }

  // 4 x 4 elements of 4 bytes in registers.
  void Four(const uint32_t* src, uint32_t* dst) const {
    using V = uint32_t __attribute__((vector_size(16)));
    V a, b, c, d;
    std::memcpy(&a, src, 16);
    std::memcpy(&b, src + src_stride, 16);
    std::memcpy(&c, src + 2 * src_stride, 16);
    std::memcpy(&d, src + 3 * src_stride, 16);
    const V ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const V ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const V cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const V cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const V rows4[] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                       __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i)
      std::memcpy(dst + i * dst_stride, &rows4[i], 16);
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
          for (int64_t i = 0; i < kTile; i += 4) {
            for (int64_t j = 0; j < kTile; j += 4) {
              Four(from + j * src_stride + i, to + i * dst_stride + j);
            }
          }
          continue;
        }
      }
      Tile(from, to, n_rows, n_columns);
    }
  }
}

}  // namespace millrace::ops
