// The error function of double and its complement for float and double,
// without branches or calls like float_math.h.
//
// Errors are at most 2 units in the last place, those of Erfc at most 6.
// Subnormal results may be 0, as on the threads that run kernels. They are
// inlined by order: a call that is left is a loop without vectors.
#pragma once

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_math.h"

namespace millrace::ops::vector_math {

// Return erf(a) / a for a^2 = t <= 1.
using float_math::ErfOfSmall;
[[gnu::always_inline]] inline double ErfOfSmall(double t) {
  double p = 5.9571761477489114e-11;
  p = p * t + -1.1372848856791674e-9;
  p = p * t + 1.4659775274047436e-8;
  p = p * t + -1.6350312701054695e-7;
  p = p * t + 1.6461000484121368e-6;
  p = p * t + -1.4925595266831182e-5;
  p = p * t + 1.2055331111642711e-4;
  p = p * t + -8.5483269808337899e-4;
  p = p * t + 5.2239776248180145e-3;
  p = p * t + -2.6866170645076793e-2;
  p = p * t + 0.11283791670954879;
  p = p * t + -0.37612638903183748;
  return p * t + 1.1283791670955126;
}

// Returns exp(-a^2), without the rounding error of a^2, which exp would
// multiply by a^2: the square of the upper half of a's digits is exact.
[[gnu::always_inline]] inline float ExpOfMinusSquare(float a) {
  const float upper = float_math::FromBits(float_math::ToBits(a) & ~0xfffu);
  const float rest = (a - upper) * (a + upper);
  int32_t n;
  const float r = float_math::ReduceExponent(-(upper * upper), &n) - rest;
  const float s = float_math::PowerOfTwo(n < -127 ? -127 : n);
  return s + float_math::Expm1OfReduced(r) * s;
}
[[gnu::always_inline]] inline double ExpOfMinusSquare(double a) {
  const double upper =
      double_math::FromBits(double_math::ToBits(a) & ~uint64_t{0x7ffffff});
  const double rest = (a - upper) * (a + upper);
  int64_t n;
  const double r = double_math::ReduceExponent(-(upper * upper), &n) - rest;
  // Below 2^-1022 the result is 0.
  const bool tiny = a > 26.6;
  const double s = double_math::PowerOfTwo(n);
  const double y = s + double_math::Expm1OfReduced(r) * s;
  return tiny ? 0.0 : y;
}

// Return erfc(a) exp(a^2) (a + 3) for u = (a - 3) / (a + 3), where a is between
// 1/2 and 10.1 or 27.3.
[[gnu::always_inline]] inline float ErfcPolynomial(float u) {
  float p = -2.43487745e-4f;
  p = p * u + 2.86957642e-3f;
  p = p * u + -1.37559038e-3f;
  p = p * u + -2.67923701e-2f;
  p = p * u + 1.19558077e-1f;
  p = p * u + -3.10470297e-1f;
  p = p * u + 5.90226508e-1f;
  p = p * u + -8.83394369e-1f;
  return p * u + 1.07400692f;
}
[[gnu::always_inline]] inline double ErfcPolynomial(double u) {
  double p = -6.5756592668592176e-9;
  p = p * u + -2.7509757675653255e-9;
  p = p * u + 4.9092520992758953e-8;
  p = p * u + 4.7497847058451203e-8;
  p = p * u + -2.3314009461310089e-7;
  p = p * u + -4.0845006672174380e-7;
  p = p * u + 9.9914833512253923e-7;
  p = p * u + 2.7653450361742459e-6;
  p = p * u + -4.7494717489581977e-6;
  p = p * u + -1.7470472758291652e-5;
  p = p * u + 3.0398255480306199e-5;
  p = p * u + 1.0756145436961961e-4;
  p = p * u + -2.7677786499773391e-4;
  p = p * u + -5.4830968642968239e-4;
  p = p * u + 3.0340620033010752e-3;
  p = p * u + -1.2124166276575054e-3;
  p = p * u + -2.6827234624601724e-2;
  p = p * u + 0.11952776128730814;
  p = p * u + -0.31046726190056436;
  p = p * u + 0.59022835710410157;
  p = p * u + -0.88339445316988365;
  return p * u + 1.0740069070883397;
}

// Returns erfc(a) for a >= 1/2.
template <class T>
[[gnu::always_inline]] inline T ErfcOfLarge(T a) {
  constexpr T kMost = sizeof(T) == 4 ? T(10.1) : T(27.3);
  a = a > kMost ? kMost : a;
  const T q = T(1) / (a + T(3));
  return ExpOfMinusSquare(a) * q * ErfcPolynomial((a - T(3)) * q);
}

[[gnu::always_inline]] inline float AbsOf(float x) {
  return float_math::Abs(x);
}
[[gnu::always_inline]] inline double AbsOf(double x) {
  return double_math::Abs(x);
}

template <class T>
[[gnu::always_inline]] inline T Erfc(T x) {
  const T a = AbsOf(x);
  const T large = ErfcOfLarge(a);
  const T small = T(1) - x * ErfOfSmall(x * x);
  const T outer = x < T(0) ? T(2) - large : large;
  return a <= T(0.5) ? small : outer;
}

[[gnu::always_inline]] inline double Erf(double x) {
  const double a = double_math::Abs(x);
  const double small = a * ErfOfSmall(a * a);
  const double large = 1.0 - ErfcOfLarge(a);
  const double y = a <= 1.0 ? small : large;
  return double_math::FromBits(
      double_math::ToBits(y) |
      (double_math::ToBits(x) & double_math::kSignBit));
}

}  // namespace millrace::ops::vector_math
