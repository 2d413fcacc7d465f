// Loops over complex numbers by vectors. The formulas have no branches, so they
// hold for numbers that are neither infinite, NaN nor so large or small that
// an intermediate result is; blocks with others take the C library's functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/elementwise/inverse_math.h"
#include "millrace/ops/elementwise/loops.h"

namespace millrace::ops {
namespace complex_math {

using double_math::Exp;
using float_math::Exp;
using vector_math::Abs;

// The parts of a complex number.
template <class T>
struct Parts {
  T re, im;
};

// Squares of parts of complex64 are computed as double, which holds them all.
// Those of complex128 must be within these limits; a part may be 0.
inline constexpr double kLeast = 1e-140;
inline constexpr double kMost = 1e140;
inline constexpr float kMostFloat = 3e38f;

inline bool HasSquares(float a, float b) {
  return (Abs(a) <= kMostFloat) & (Abs(b) <= kMostFloat);
}
inline bool HasSquares(double a, double b) {
  const double x = Abs(a), y = Abs(b);
  return (x <= kMost) & (y <= kMost) & ((x >= kLeast) | (x == 0)) &
         ((y >= kLeast) | (y == 0));
}
template <class T>
inline bool HasReciprocal(T a, T b) {
  return HasSquares(a, b) & ((a != T(0)) | (b != T(0)));
}

inline float Sine(float x) { return float_math::Sin(x); }
inline double Sine(double x) { return double_math::Sin(x); }
inline float Cosine(float x) { return float_math::Cos(x); }
inline double Cosine(double x) { return double_math::Cos(x); }

struct ExpOfParts {
  static bool Fits(float a, float b) {
    return (Abs(a) <= 80.0f) & (Abs(b) <= float_math::kMaxAngle);
  }
  static bool Fits(double a, double b) {
    return (Abs(a) <= 700.0) & (Abs(b) <= double_math::kMaxAngle);
  }
  template <class T>
  static Parts<T> Do(T a, T b) {
    const T e = Exp(a);
    return {e * Cosine(b), e * Sine(b)};
  }
};

struct LogOfParts {
  template <class T>
  static bool Fits(T a, T b) {
    return HasReciprocal(a, b);
  }
  static Parts<float> Do(float a, float b) {
    const double x = a, y = b;
    return {static_cast<float>(0.5 * double_math::Log(x * x + y * y)),
            vector_math::Atan2(b, a)};
  }
  static Parts<double> Do(double a, double b) {
    // The logarithm of a number near 1 is that of its distance from 1.
    const double x = Abs(a), y = Abs(b);
    const double large = x > y ? x : y, small = x > y ? y : x;
    const double size = large * large + small * small;
    const double from_1 = (large - 1.0) * (large + 1.0) + small * small;
    const bool near = (size > 0.5) & (size < 2.0);
    const double log_near = double_math::Log1p(near ? from_1 : 0.0);
    const double log_far = double_math::Log(size);
    return {0.5 * (near ? log_near : log_far), vector_math::Atan2(b, a)};
  }
};

// Returns the root whose real part is not negative.
inline Parts<double> Root(double a, double b) {
  const double size = std::sqrt(a * a + b * b);
  const double w = std::sqrt(0.5 * (Abs(a) + size));
  const double other = 0.5 * Abs(b) / (w == 0.0 ? 1.0 : w);
  const bool right = a >= 0.0;
  return {right ? w : other, vector_math::WithSignOf(right ? other : w, b)};
}

inline Parts<double> Inverse(Parts<double> x) {
  const double size = x.re * x.re + x.im * x.im;
  return {x.re / size, -x.im / size};
}

template <class T>
inline Parts<T> Narrow(Parts<double> x) {
  return {static_cast<T>(x.re), static_cast<T>(x.im)};
}

struct SqrtOfParts {
  template <class T>
  static bool Fits(T a, T b) {
    return HasSquares(a, b);
  }
  template <class T>
  static Parts<T> Do(T a, T b) {
    return Narrow<T>(Root(a, b));
  }
};

struct RsqrtOfParts {
  template <class T>
  static bool Fits(T a, T b) {
    return HasReciprocal(a, b);
  }
  template <class T>
  static Parts<T> Do(T a, T b) {
    return Narrow<T>(Inverse(Root(a, b)));
  }
};

struct ReciprocalOfParts {
  template <class T>
  static bool Fits(T a, T b) {
    return HasReciprocal(a, b);
  }
  template <class T>
  static Parts<T> Do(T a, T b) {
    return Narrow<T>(Inverse({a, b}));
  }
};

// Returns z[i] = VectorOp(x[i]) and true, or false if an element does not fit.
// Flat: a call that is left is a loop without vectors.
template <class VectorOp, class T>
[[gnu::flatten]] MR_TARGET_CLONES bool BlockOfParts(const T* x, T* z,
                                                    int64_t n) {
  int outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    outside |= VectorOp::Fits(x[2 * i], x[2 * i + 1]) ? 0 : 1;
  }
  if (outside) return false;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const Parts<T> y = VectorOp::Do(x[2 * i], x[2 * i + 1]);
    z[2 * i] = y.re;
    z[2 * i + 1] = y.im;
  }
  return true;
}

inline constexpr int64_t kBlock = 64;

template <class VectorOp, class LibmOp, class T>
void UnaryLoopOf(const void* xv, void* zv, int64_t n) {
  const auto* x = static_cast<const std::complex<T>*>(xv);
  auto* z = static_cast<std::complex<T>*>(zv);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    if (BlockOfParts<VectorOp, T>(reinterpret_cast<const T*>(x + i),
                                  reinterpret_cast<T*>(z + i), m)) {
      continue;
    }
    for (int64_t j = i; j < i + m; ++j) z[j] = LibmOp::Do(x[j]);
  }
}

// Returns z[i] = x[i] / y[i] and true, or false if an element does not fit. An
// operand is an array or one number.
template <class T, bool kOneX, bool kOneY>
MR_TARGET_CLONES bool DivideBlock(const T* x, const T* y, T* z, int64_t n) {
  int outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t j = kOneX ? 0 : i, k = kOneY ? 0 : i;
    const bool fits = HasSquares(x[2 * j], x[2 * j + 1]) &
                      HasReciprocal(y[2 * k], y[2 * k + 1]);
    outside |= fits ? 0 : 1;
  }
  if (outside) return false;
  const T x_re = x[0], x_im = x[1], y_re = y[0], y_im = y[1];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const double a = kOneX ? x_re : x[2 * i], b = kOneX ? x_im : x[2 * i + 1];
    const double c = kOneY ? y_re : y[2 * i], d = kOneY ? y_im : y[2 * i + 1];
    const double size = c * c + d * d;
    z[2 * i] = static_cast<T>((a * c + b * d) / size);
    z[2 * i + 1] = static_cast<T>((b * c - a * d) / size);
  }
  return true;
}

template <class T, bool kOneX, bool kOneY>
bool DivideLoop(const void* xv, const void* yv, void* zv, int64_t n) {
  const auto* x = static_cast<const std::complex<T>*>(xv);
  const auto* y = static_cast<const std::complex<T>*>(yv);
  auto* z = static_cast<std::complex<T>*>(zv);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    const auto* a = x + (kOneX ? 0 : i);
    const auto* b = y + (kOneY ? 0 : i);
    if (DivideBlock<T, kOneX, kOneY>(reinterpret_cast<const T*>(a),
                                     reinterpret_cast<const T*>(b),
                                     reinterpret_cast<T*>(z + i), m)) {
      continue;
    }
    for (int64_t j = 0; j < m; ++j) {
      z[i + j] = a[kOneX ? 0 : j] / b[kOneY ? 0 : j];
    }
  }
  return true;
}

template <class T>
constexpr BinaryLoops DivideLoops() {
  return {&DivideLoop<T, false, false>, &DivideLoop<T, false, true>,
          &DivideLoop<T, true, false>};
}

}  // namespace complex_math

// Returns the table with loops of complex numbers: VectorOp where its formula
// holds, else LibmOp.
template <class VectorOp, class LibmOp>
constexpr UnaryTable WithComplexLoops(UnaryTable table) {
  table.loops[IndexOf<Complex64>()] =
      &complex_math::UnaryLoopOf<VectorOp, LibmOp, float>;
  table.loops[IndexOf<Complex128>()] =
      &complex_math::UnaryLoopOf<VectorOp, LibmOp, double>;
  return table;
}

// Returns the table of a division with such loops.
constexpr BinaryTable WithComplexDivision(BinaryTable table) {
  table.loops[IndexOf<Complex64>()] = complex_math::DivideLoops<float>();
  table.loops[IndexOf<Complex128>()] = complex_math::DivideLoops<double>();
  return table;
}

}  // namespace millrace::ops
