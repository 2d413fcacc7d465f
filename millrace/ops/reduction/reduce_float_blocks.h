// Reductions of half and bfloat16 by the loops of float, on blocks that are
// converted beforehand: the compiler converts halves one by one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops::internal {

// A loop of ReduceLoops (reduce.h).
using ReduceLoop = void (*)(const void* x, int64_t stride, int64_t rows,
                            int64_t n, void* acc);

// Converts `rows` rows of n elements, `stride` apart, to rows without gaps.
template <class T>
void RowsToFloats(const T* x, int64_t stride, int64_t rows, int64_t n,
                  float* to) {
  if (stride == n) return ToFloats(DataTypeOf<T>, x, to, rows * n);
  for (int64_t r = 0; r < rows; ++r) {
    ToFloats(DataTypeOf<T>, x + r * stride, to + r * n, n);
  }
}

// Hands pieces of at most `width` columns, and of as many rows as fit into a
// block, to kLoop. kForRow: rows have accumulators, not columns.
template <class T, class Acc, ReduceLoop kLoop, bool kForRow>
void ReduceByFloats(const T* x, int64_t stride, int64_t rows, int64_t n,
                    int64_t width, Acc* acc) {
  float block[kFloatBlock];
  for (int64_t j = 0; j < n; j += width) {
    const int64_t columns = std::min(width, n - j);
    const int64_t at_once = kFloatBlock / columns;
    for (int64_t r = 0; r < rows; r += at_once) {
      const int64_t some = std::min(at_once, rows - r);
      RowsToFloats(x + r * stride + j, stride, some, columns, block);
      kLoop(block, columns, some, columns, acc + (kForRow ? r : j));
    }
  }
}

template <class T, class Acc, ReduceLoop kRows>
void RowsByFloats(const void* x, int64_t stride, int64_t rows, int64_t n,
                  void* acc) {
  ReduceByFloats<T, Acc, kRows, true>(static_cast<const T*>(x), stride, rows, n,
                                      kFloatBlock, static_cast<Acc*>(acc));
}

template <class T, class Acc, ReduceLoop kColumns>
void ColumnsByFloats(const void* x, int64_t stride, int64_t rows, int64_t n,
                     void* acc) {
  // The loop takes four rows at a time.
  ReduceByFloats<T, Acc, kColumns, false>(static_cast<const T*>(x), stride,
                                          rows, n, kFloatBlock / 4,
                                          static_cast<Acc*>(acc));
}

}  // namespace millrace::ops::internal
