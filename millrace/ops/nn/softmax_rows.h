// Loops over one row of logits. half and bfloat16 rows are converted to float
// by the caller.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "millrace/ops/math/float_math.h"
#include "millrace/ops/math/loops.h"

namespace millrace::ops {

inline float ExpOf(float x) { return float_math::Exp(x); }
inline double ExpOf(double x) { return std::exp(x); }

// The largest element; NaN if there is one, as then everything is NaN.
template <class S>
MR_TARGET_CLONES S RowMax(const S* x, int64_t n) {
  S max = -std::numeric_limits<S>::infinity();
  bool nan = false;
  for (int64_t i = 0; i < n; ++i) {
    max = x[i] > max ? x[i] : max;
    nan |= x[i] != x[i];
  }
  return nan ? std::numeric_limits<S>::quiet_NaN() : max;
}

// z = x - shift; returns sum(exp(z)).
template <class S>
MR_TARGET_CLONES S ShiftAndSumExp(const S* x, S shift, S* z, int64_t n) {
  S sum = 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = x[i] - shift;
    sum += ExpOf(z[i]);
  }
  return sum;
}

// z = exp(x - shift); returns its sum.
template <class S>
MR_TARGET_CLONES S ExpAndSum(const S* x, S shift, S* z, int64_t n) {
  S sum = 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = ExpOf(x[i] - shift);
    sum += z[i];
  }
  return sum;
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
