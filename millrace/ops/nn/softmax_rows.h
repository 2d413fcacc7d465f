// Loops over rows of logits. The caller converts rows of half and bfloat16 to
// float.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/elementwise/loops.h"

namespace millrace::ops {

// Logits minus the largest one are not positive.
using double_math::ExpOfNegative;
using float_math::ExpOfNegative;

// The number of partial results of a loop. With several, its steps do not
// depend on each other and the compiler vectorizes them.
template <class S>
inline constexpr int kLanes = 128 / static_cast<int>(sizeof(S));

template <class S>
inline S LargerOrNan(S a, S x) {
  return static_cast<bool>(int{x > a} | int{x != x}) ? x : a;
}

// Returns the largest element, or NaN if there is one, since then every result
// is NaN.
template <class S>
MR_TARGET_CLONES S RowMax(const S* x, int64_t n) {
  S max[kLanes<S>];
  for (S& m : max) m = -std::numeric_limits<S>::infinity();
  int64_t i = 0;
  for (; i + kLanes<S> <= n; i += kLanes<S>) {
    for (int k = 0; k < kLanes<S>; ++k) max[k] = LargerOrNan(max[k], x[i + k]);
  }
  for (; i < n; ++i) max[0] = LargerOrNan(max[0], x[i]);
  for (int k = 1; k < kLanes<S>; ++k) max[0] = LargerOrNan(max[0], max[k]);
  return max[0];
}

template <class S>
inline S SumOf(const S (&sums)[kLanes<S>]) {
  S sum = sums[0];
  for (int k = 1; k < kLanes<S>; ++k) sum += sums[k];
  return sum;
}

// Sets z = x - shift and returns sum(exp(z)).
template <class S>
MR_TARGET_CLONES S ShiftAndSumExp(const S* x, S shift, S* z, int64_t n) {
  S sums[kLanes<S>] = {};
  int64_t i = 0;
  for (; i + kLanes<S> <= n; i += kLanes<S>) {
#pragma GCC ivdep
    for (int k = 0; k < kLanes<S>; ++k) {
      z[i + k] = x[i + k] - shift;
      sums[k] += ExpOfNegative(z[i + k]);
    }
  }
  for (; i < n; ++i) {
    z[i] = x[i] - shift;
    sums[0] += ExpOfNegative(z[i]);
  }
  return SumOf(sums);
}

// Sets z = exp(x - shift) and returns its sum.
template <class S>
MR_TARGET_CLONES S ExpAndSum(const S* x, S shift, S* z, int64_t n) {
  S sums[kLanes<S>] = {};
  int64_t i = 0;
  for (; i + kLanes<S> <= n; i += kLanes<S>) {
#pragma GCC ivdep
    for (int k = 0; k < kLanes<S>; ++k) {
      const S e = ExpOfNegative(x[i + k] - shift);
      z[i + k] = e;
      sums[k] += e;
    }
  }
  for (; i < n; ++i) {
    z[i] = ExpOfNegative(x[i] - shift);
    sums[0] += z[i];
  }
  return SumOf(sums);
}

template <class S>
MR_TARGET_CLONES void Scale(S* z, S factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] *= factor;
}
template <class S>
MR_TARGET_CLONES void Shift(S* z, S amount, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] -= amount;
}

}  // namespace millrace::ops
