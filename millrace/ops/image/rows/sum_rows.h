// Loops over rows of pixels, in float.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/image/axis.h"

namespace millrace::ops {

// Loops may read and write this many numbers behind the end of a row, which
// have no meaning.
inline constexpr int64_t kRowSlack = 16;

// The taps of an axis whose weight is not 0.
struct RowTaps {
  explicit RowTaps(const Axis& axis);

  int64_t size() const { return static_cast<int64_t>(first.size()) - 1; }

  // The number of taps of each pixel, if it is 1, 2 or 4: where some have fewer
  // taps, the weight of one is divided among taps of the same place. Else 0.
  int count = 0;
  int64_t span = 0;  // of the places that one pixel takes
  CountedVector<int64_t> first;
  CountedVector<Tap> taps;
};

// Sets pixels of `out` to the sums that `taps` take of the pixels of a row.
// There is slack behind both.
void SumPixels(const RowTaps& taps, int64_t channels, const float* row,
               float* out);

// Sets or adds to `out` the sum of rows of n numbers, of at most four.
struct WeightedRow {
  const float* row = nullptr;
  float weight = 0;
};
void SumRows(const WeightedRow* rows, int64_t count, bool add, int64_t n,
             float* out);

}  // namespace millrace::ops
