// Copies rows of runs that are so short that what surrounds a run takes longer
// than the run: their lengths are known when they are compiled.
#pragma once

#include <cstdint>
#include <cstring>

namespace millrace::ops {

// Such a run has at most this many elements.
inline constexpr int64_t kShortRun = 8;

// Distances in elements: between runs, and between the elements of a run.
struct RunStrides {
  int64_t src_row, src, dst_row, dst;
};

template <class T, int kCount, bool kDense>
void CopyShortRuns(const T* src, T* dst, const RunStrides& s, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    if constexpr (kDense) {
      std::memcpy(dst, src, kCount * sizeof(T));
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i) dst[i * s.dst] = src[i * s.src];
    }
    src += s.src_row;
    dst += s.dst_row;
  }
}

// Copies `rows` runs of `count` elements. Requires: 1 <= count <= kShortRun.
template <class T, int kCount = kShortRun>
void CopyShortRuns(const T* src, T* dst, const RunStrides& s, int64_t rows,
                   int64_t count) {
  if constexpr (kCount > 0) {
    if (count != kCount) {
      CopyShortRuns<T, kCount - 1>(src, dst, s, rows, count);
    } else if (s.src == 1 && s.dst == 1) {
      CopyShortRuns<T, kCount, true>(src, dst, s, rows);
    } else {
      CopyShortRuns<T, kCount, false>(src, dst, s, rows);
    }
  }
}

}  // namespace millrace::ops
