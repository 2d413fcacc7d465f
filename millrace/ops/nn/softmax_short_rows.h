// Loops over many short rows of logits, such as those of ten classes. They are
// computed side by side: a vector has the same element of several rows, so that
// vectors are full however short a row is. Sums have the order of
// softmax_rows.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "millrace/ops/nn/softmax_rows.h"

namespace millrace::ops {

// Rows are short if they have fewer elements than this; and this many of them
// are computed side by side.
template <class S>
inline constexpr int64_t kSideBySide = kLanes<S>;

namespace short_rows {

// Element i of row r is at[i][r].
template <class S>
struct Columns {
  S at[kSideBySide<S>][kSideBySide<S>];
};

template <class S>
inline void FromRows(const S* x, int64_t rows, int64_t n, Columns<S>& columns) {
  for (int64_t i = 0; i < n; ++i) {
    S* const to = columns.at[i];
    for (int64_t r = 0; r < rows; ++r) to[r] = x[r * n + i];
    for (int64_t r = rows; r < kSideBySide<S>; ++r) to[r] = S(0);
  }
}

template <class S>
inline void ToRows(const Columns<S>& columns, int64_t rows, int64_t n, S* z) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) z[r * n + i] = columns.at[i][r];
  }
}

// Sets max[r] to the largest element of a row, or NaN if there is one.
template <class S>
inline void Max(const Columns<S>& x, int64_t n, S* max) {
  for (int64_t r = 0; r < kSideBySide<S>; ++r) {
    max[r] = -std::numeric_limits<S>::infinity();
  }
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t r = 0; r < kSideBySide<S>; ++r) {
      max[r] = LargerOrNan(max[r], x.at[i][r]);
    }
  }
}

// Sets x = x - max, e = exp(x - max) and sum[r] to the sum of a row of e.
template <class S>
inline void ShiftAndExp(Columns<S>& x, int64_t n, const S* max, Columns<S>& e,
                        S* sum) {
  for (int64_t r = 0; r < kSideBySide<S>; ++r) sum[r] = S(0);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t r = 0; r < kSideBySide<S>; ++r) {
      x.at[i][r] -= max[r];
      e.at[i][r] = ExpOfNegative(x.at[i][r]);
      sum[r] += e.at[i][r];
    }
  }
}

}  // namespace short_rows

// Sets z to the softmax of `rows` <= kSideBySide rows of n < kSideBySide
// elements, and max[r] and sum[r] to a row's largest element and its sum of
// exp(x - max). Both have kSideBySide elements. z may be x.
template <class S>
MR_TARGET_CLONES void SoftmaxShortRows(const S* x, int64_t rows, int64_t n,
                                       S* z, S* max, S* sum) {
  short_rows::Columns<S> shifted, e;
  short_rows::FromRows(x, rows, n, shifted);
  short_rows::Max(shifted, n, max);
  short_rows::ShiftAndExp(shifted, n, max, e, sum);
  S factor[kSideBySide<S>];
  for (int64_t r = 0; r < kSideBySide<S>; ++r) factor[r] = S(1) / sum[r];
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t r = 0; r < kSideBySide<S>; ++r) e.at[i][r] *= factor[r];
  }
  short_rows::ToRows(e, rows, n, z);
}

// Sets z to the logarithm of that.
template <class S>
MR_TARGET_CLONES void LogSoftmaxShortRows(const S* x, int64_t rows, int64_t n,
                                          S* z) {
  short_rows::Columns<S> shifted, e;
  S max[kSideBySide<S>], sum[kSideBySide<S>];
  short_rows::FromRows(x, rows, n, shifted);
  short_rows::Max(shifted, n, max);
  short_rows::ShiftAndExp(shifted, n, max, e, sum);
  for (int64_t r = 0; r < rows; ++r) sum[r] = std::log(sum[r]);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t r = 0; r < kSideBySide<S>; ++r) shifted.at[i][r] -= sum[r];
  }
  short_rows::ToRows(shifted, rows, n, z);
}

// Sets loss[r] to the cross entropy of a row and its labels, of `rows` <=
// kSideBySide rows of n < kSideBySide elements, and backprop to softmax minus
// labels. A label of 0 adds nothing, even if the logit is -inf.
template <class S>
MR_TARGET_CLONES void CrossEntropyShortRows(const S* x, const S* labels,
                                            int64_t rows, int64_t n, S* loss,
                                            S* backprop) {
  short_rows::Columns<S> shifted, e, wanted;
  S max[kSideBySide<S>], sum[kSideBySide<S>];
  S log_sum[kSideBySide<S>] = {}, losses[kSideBySide<S>] = {};
  short_rows::FromRows(x, rows, n, shifted);
  short_rows::FromRows(labels, rows, n, wanted);
  short_rows::Max(shifted, n, max);
  short_rows::ShiftAndExp(shifted, n, max, e, sum);
  for (int64_t r = 0; r < rows; ++r) log_sum[r] = std::log(sum[r]);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC ivdep
    for (int64_t r = 0; r < kSideBySide<S>; ++r) {
      const S label = wanted.at[i][r];
      const S part = label * (log_sum[r] - shifted.at[i][r]);
      losses[r] += label == S(0) ? S(0) : part;
      e.at[i][r] = e.at[i][r] / sum[r] - label;
    }
  }
  for (int64_t r = 0; r < rows; ++r) loss[r] = losses[r];
  short_rows::ToRows(e, rows, n, backprop);
}

}  // namespace millrace::ops
