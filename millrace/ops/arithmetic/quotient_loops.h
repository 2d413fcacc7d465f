// Quotients of integers, of half and of bfloat16 by vectors. Processors have no
// division of vectors of integers, and of single ones a slow one; a quotient of
// floating point numbers that hold both integers exactly, truncated, is the
// same where its digits are more than those of x and y together: x / y lies at
// least 1 / y below the next whole number.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/ops/elementwise/numbers.h"

namespace millrace::ops {

// Returns Quotient(x, y), for integers of up to 32 bits by code that becomes
// vectors. Requires: y is not 0.
template <std::integral T>
inline T VectorQuotient(T x, T y) {
  if constexpr (sizeof(T) == 8) {
    return Quotient(x, y);
  } else if constexpr (sizeof(T) == 4) {
    if constexpr (std::is_signed_v<T>) {
      // The smallest number divided by -1 would not fit.
      const T divisor = y == -1 ? T(1) : y;
      const T q =
          static_cast<T>(static_cast<double>(x) / static_cast<double>(divisor));
      return y == -1 ? Minus<T>(0, x) : q;
    } else {
      return static_cast<T>(static_cast<double>(x) / static_cast<double>(y));
    }
  } else {
    return static_cast<T>(
        static_cast<int32_t>(static_cast<float>(x) / static_cast<float>(y)));
  }
}

namespace internal {

// Integers of 64 bits of less than this size are divided as doubles.
inline constexpr uint64_t kMostWide = uint64_t{1} << 50;

// Converts an integer below kMostWide, by additions only: before AVX-512 there
// is no instruction for vectors of 64 bits.
inline double DoubleOf(uint64_t x) {
  using namespace double_math;
  return FromBits(ToBits(kRound) + x) - kRound;
}
inline uint64_t IntegerOf(double whole) {
  using namespace double_math;
  return ToBits(whole + kRound) - ToBits(kRound);
}

template <class T>
inline bool IsWide(T x) {
  const auto bits = static_cast<uint64_t>(x);
  if constexpr (std::is_signed_v<T>) {
    return bits + kMostWide > 2 * kMostWide;
  } else {
    return bits > kMostWide;
  }
}

// Returns Op of blocks of 64-bit integers; an operand is an array or one
// number. The divisors are not 0.
template <class Op, class T, bool kOneX, bool kOneY>
MR_TARGET_CLONES void WideBlock(const T* x, const T* y, T* z, int64_t n) {
  int wide = 0;
  for (int64_t i = 0; i < n; ++i) {
    wide |= IsWide(x[kOneX ? 0 : i]) | IsWide(y[kOneY ? 0 : i]);
  }
  const T one_x = x[0], one_y = y[0];
  if (wide) {
    for (int64_t i = 0; i < n; ++i) {
      const T a = kOneX ? one_x : x[i], b = kOneY ? one_y : y[i];
      z[i] = Op::Of(a, b, Quotient(a, b));
    }
    return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T a = kOneX ? one_x : x[i], b = kOneY ? one_y : y[i];
    const double q =
        DoubleOf(static_cast<uint64_t>(a)) / DoubleOf(static_cast<uint64_t>(b));
    z[i] = Op::Of(a, b, static_cast<T>(IntegerOf(std::trunc(q))));
  }
}

template <class Op, class T, bool kOneX, bool kOneY>
bool WideLoop(const void* xv, const void* yv, void* zv, int64_t n) {
  constexpr int64_t kBlock = 256;
  const T* x = static_cast<const T*>(xv);
  const T* y = static_cast<const T*>(yv);
  T* z = static_cast<T*>(zv);
  for (int64_t i = 0; i < (kOneY ? std::min<int64_t>(n, 1) : n); ++i) {
    if (Op::Fails(T(1), y[i])) return false;
  }
  for (int64_t i = 0; i < n; i += kBlock) {
    WideBlock<Op, T, kOneX, kOneY>(x + (kOneX ? 0 : i), y + (kOneY ? 0 : i),
                                   z + i, std::min(kBlock, n - i));
  }
  return true;
}

template <class Op>
MR_TARGET_CLONES void MakeWhole(float* q, int64_t n) {
  for (int64_t i = 0; i < n; ++i) q[i] = Op::Whole(q[i]);
}

template <bool kOneX, bool kOneY>
MR_TARGET_CLONES void Divide(const float* x, const float* y, float* z,
                             int64_t n) {
  const float one_x = x[0], one_y = y[0];
  for (int64_t i = 0; i < n; ++i) {
    z[i] = (kOneX ? one_x : x[i]) / (kOneY ? one_y : y[i]);
  }
}

template <class Op, DataType kType, bool kOneX, bool kOneY>
bool RoundedLoop(const void* xv, const void* yv, void* zv, int64_t n) {
  const char* x = static_cast<const char*>(xv);
  const char* y = static_cast<const char*>(yv);
  char* z = static_cast<char*>(zv);
  float a[kFloatBlock], b[kFloatBlock], q[kFloatBlock];
  for (int64_t i = 0; i < n; i += kFloatBlock) {
    const int64_t m = std::min(kFloatBlock, n - i);
    if (!kOneX || i == 0) ToFloats(kType, x + i * 2, a, kOneX ? 1 : m);
    if (!kOneY || i == 0) ToFloats(kType, y + i * 2, b, kOneY ? 1 : m);
    Divide<kOneX, kOneY>(a, b, q, m);
    FromFloats(kType, q, z + i * 2, m);
    ToFloats(kType, z + i * 2, q, m);
    MakeWhole<Op>(q, m);
    FromFloats(kType, q, z + i * 2, m);
  }
  return true;
}

}  // namespace internal

// Returns the loops of an op of integers of 64 bits:
//   struct Op {
//     static bool Fails(T x, T y);  // no quotient
//     static T Of(T x, T y, T quotient);
//   };
template <class Op, class T>
constexpr BinaryLoops WideLoops() {
  return {&internal::WideLoop<Op, T, false, false>,
          &internal::WideLoop<Op, T, false, true>,
          &internal::WideLoop<Op, T, true, false>};
}

// Returns the loops of Op::Whole(quotient) for half or bfloat16, where the
// quotient is rounded to the type before.
template <class Op, DataType kType>
constexpr BinaryLoops RoundedLoops() {
  return {&internal::RoundedLoop<Op, kType, false, false>,
          &internal::RoundedLoop<Op, kType, false, true>,
          &internal::RoundedLoop<Op, kType, true, false>};
}

}  // namespace millrace::ops
