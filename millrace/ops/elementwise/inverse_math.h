// Hyperbolic functions and the inverses of these and of angles, for float and
// double, without branches or calls like float_math.h, from whose functions
// some are made.
//
// Errors are at most 3 units in the last place. The results for infinities, NaN
// and zeros are those of the C library.
#pragma once

#include <cmath>
#include <limits>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_math.h"

namespace millrace::ops::vector_math {

inline float WithSignOf(float x, float sign) {
  using namespace float_math;
  return FromBits(ToBits(x) | (ToBits(sign) & 0x80000000u));
}
inline double WithSignOf(double x, double sign) {
  using namespace double_math;
  return FromBits(ToBits(x) | (ToBits(sign) & kSignBit));
}
inline bool IsSigned(float x) { return (float_math::ToBits(x) >> 31) != 0; }
inline bool IsSigned(double x) { return (double_math::ToBits(x) >> 63) != 0; }

using double_math::Abs;
using double_math::Log1p;
using float_math::Abs;
using float_math::Log1p;

template <class T>
inline constexpr T kPi = static_cast<T>(3.14159265358979323846);
// The rounding error of kPi, which is to be added to it.
template <class T>
inline constexpr T kPiRest = static_cast<T>(1.2246467991473532e-16);
template <>
inline constexpr float kPiRest<float> = -8.74227766e-8f;

// Returns (atan(t) / t - 1) / s with s = t^2 and |t| <= sqrt(2) - 1.
inline float AtanPolynomial(float s) {
  float p = -6.45192821e-2f;
  p = p * s + 1.07437315e-1f;
  p = p * s + -1.42639556e-1f;
  p = p * s + 1.99995405e-1f;
  return p * s + -3.33333318e-1f;
}
inline double AtanPolynomial(double s) {
  double p = 0.016285756855221028;
  p = p * s + -0.034570561981427747;
  p = p * s + 0.045515932206265492;
  p = p * s + -0.052304542706502445;
  p = p * s + 0.058789289978347751;
  p = p * s + -0.066664248857382553;
  p = p * s + 0.076922963750321424;
  p = p * s + -0.090909087535008768;
  p = p * s + 0.11111111105155447;
  p = p * s + -0.14285714285659828;
  p = p * s + 0.19999999999999805;
  return p * s + -0.33333333333333333;
}

// Returns atan(n / d) for 0 <= n <= d, or pi / 2 minus it. Requires: d is not
// 0, n not infinite.
template <class T>
inline T AtanOfFraction(T n, T d, bool complement) {
  // The scale keeps the sum of large numbers finite, and differences of small
  // ones, which threads that run kernels would round to 0, normal.
  constexpr T kUp = sizeof(T) == 4 ? T(0x1p+30) : T(0x1p+60);
  const T scale = d > T(1) ? T(0.5) : kUp;
  n = n * scale;
  d = d * scale;
  // Above tan(pi / 8) it is pi / 4 + atan((n - d) / (n + d)).
  const bool large = n > T(0.41421356237309503) * d;
  const T t = (large ? n - d : n) / (large ? n + d : d);
  const T s = t * t;
  T small = t + t * s * AtanPolynomial(s);
  small = complement ? -small : small;
  const T other = complement ? kPi<T> / 2 : T(0);
  const T other_rest = complement ? kPiRest<T> / 2 : T(0);
  const T base = large ? kPi<T> / 4 : other;
  const T base_rest = large ? kPiRest<T> / 4 : other_rest;
  return base + (small + base_rest);
}

template <class T>
inline T Atan(T x) {
  const T a = Abs(x);
  const bool large = a > T(1);
  const T y = AtanOfFraction(large ? T(1) : a, large ? a : T(1), large);
  return WithSignOf(y, x);
}

template <class T>
inline T Atan2(T y, T x) {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const T a = Abs(y), b = Abs(x);
  const bool steep = a > b;
  T n = steep ? b : a;
  T d = steep ? a : b;
  // A quotient of subnormal numbers is 0, as one of zeros.
  d = d < std::numeric_limits<T>::min() ? T(1) : d;
  // For two infinities the quotient is 1.
  const bool far = d == kInf;
  const bool both = n == kInf;
  d = (far && both) ? T(1) : d;
  n = (far && both) ? T(1) : n;
  const T angle = AtanOfFraction(n, d, steep);
  const T left = kPi<T> - (angle - kPiRest<T>);
  return WithSignOf(IsSigned(x) ? left : angle, y);
}

// Returns (asin(s) / s - 1) / t with t = s^2 and |s| <= 1 / 2.
inline float AsinPolynomial(float t) {
  float p = 3.80850236e-2f;
  p = p * t + 2.65545422e-2f;
  p = p * t + 4.50013801e-2f;
  p = p * t + 7.49885507e-2f;
  return p * t + 1.66666724e-1f;
}
inline double AsinPolynomial(double t) {
  double p = 0.028757851367421565;
  p = p * t + -0.014851887071247203;
  p = p * t + 0.017400879442694022;
  p = p * t + 0.0054575067186403583;
  p = p * t + 0.010322814350185779;
  p = p * t + 0.011479177415184906;
  p = p * t + 0.013971212973552933;
  p = p * t + 0.017352392720869973;
  p = p * t + 0.022372172942149888;
  p = p * t + 0.030381944138531247;
  p = p * t + 0.04464285714635543;
  p = p * t + 0.074999999999984329;
  return p * t + 0.16666666666666668;
}

template <class T>
inline T Asin(T x) {
  // Above 1/2 it is pi / 2 - 2 asin(sqrt((1 - a) / 2)).
  const T a = Abs(x);
  const bool large = a > T(0.5);
  const T t = large ? T(0.5) * (T(1) - a) : a * a;
  const T s = large ? std::sqrt(t) : a;
  const T y = s + s * t * AsinPolynomial(t);
  const T upper = kPi<T> / 2 - (T(2) * y - kPiRest<T> / 2);
  return WithSignOf(large ? upper : y, x);
}

template <class T>
inline T Acos(T x) {
  const T a = Abs(x);
  const bool large = a > T(0.5);
  const T t = large ? T(0.5) * (T(1) - a) : a * a;
  const T s = large ? std::sqrt(t) : x;
  const T y = s + s * t * AsinPolynomial(t);
  const T middle = kPi<T> / 2 - (y - kPiRest<T> / 2);
  const T left = kPi<T> - (T(2) * y - kPiRest<T>);
  const T outer = x < T(0) ? left : T(2) * y;
  return large ? outer : middle;
}

template <class T>
inline T Atanh(T x) {
  const T a = Abs(x);
  const T y = T(0.5) * Log1p(T(2) * a / (T(1) - a));
  return WithSignOf(y, x);
}

// From here on x + sqrt(x^2 + 1) is 2 x, and log(1 + x) is log x.
template <class T>
inline constexpr T kOnlyX = T(1e17);
template <class T>
inline constexpr T kLog2 = static_cast<T>(0.693147180559945309417);

template <class T>
inline T Asinh(T x) {
  const T a = Abs(x);
  const bool large = a > kOnlyX<T>;
  const T near = a + a * a / (T(1) + std::sqrt(a * a + T(1)));
  const T y = Log1p(large ? a : near) + (large ? kLog2<T> : T(0));
  return WithSignOf(y, x);
}

template <class T>
inline T Acosh(T x) {
  const bool large = x > kOnlyX<T>;
  const T t = x - T(1);
  const T near = t + std::sqrt(t * T(2) + t * t);
  const T y = Log1p(large ? x : near) + (large ? kLog2<T> : T(0));
  return x < T(1) ? std::numeric_limits<T>::quiet_NaN() : y;
}

// Returns exp(a) - 1 as (*e + 1) * *s * 4 - 1 for a >= 0. The number 4 * *s may
// be infinite where a quarter of the result is not.
inline void QuarterOfExp(float a, float* e, float* s) {
  int32_t n;
  *e = float_math::ReducedExpm1(a > 89.5f ? 89.5f : a, &n);
  *s = float_math::PowerOfTwo(n - 2);
}
inline void QuarterOfExp(double a, double* e, double* s) {
  int64_t n;
  *e = double_math::ReducedExpm1(a > 710.5 ? 710.5 : a, &n);
  *s = double_math::PowerOfTwo(n - 2);
}

template <class T>
inline T Sinh(T x) {
  T e, s;
  QuarterOfExp(Abs(x), &e, &s);
  const T q = e * s + (s - T(0.25));  // (exp(a) - 1) / 4
  const T y = T(2) * q + T(0.5) * q / (q + T(0.25));
  return WithSignOf(y, x);
}

template <class T>
inline T Cosh(T x) {
  T e, s;
  QuarterOfExp(Abs(x), &e, &s);
  const T q = e * s + s;  // exp(a) / 4
  return T(2) * q + T(0.125) / q;
}

}  // namespace millrace::ops::vector_math
