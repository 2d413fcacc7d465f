// Elementary functions of a float without branches or calls, so that the
// compiler vectorises a loop over them (inside MR_TARGET_CLONES functions).
//
// Errors are at most 2.5 units in the last place (tan: 4; tanh: 4.1 with fused
// multiply-add and 5.2 without), with and without fused multiply-add. The
// coefficients are our own minimax fits on the ranges that the comments name.
// The results for infinities and NaN are those of the C library.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace millrace::ops::float_math {

// Adding this rounds to the nearest integer, which is in the low bits of the
// sum, for magnitudes below 2^22; subtracting it again gives that integer as a
// float.
inline constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline float FromBits(uint32_t u) { return std::bit_cast<float>(u); }
inline uint32_t ToBits(float f) { return std::bit_cast<uint32_t>(f); }
inline float Abs(float x) { return FromBits(ToBits(x) & 0x7fffffffu); }

// Returns 2^n for n in [-126, 127], and 0 for -127.
inline float PowerOfTwo(int32_t n) {
  return FromBits(static_cast<uint32_t>(n + 127) << 23);
}

// Returns r, where x = n ln 2 + r with |r| <= ln 2 / 2, and sets *n.
inline float ReduceExponent(float x, int32_t* n) {
  const float t = x * 1.44269504f + kRound;
  const float k = t - kRound;
  *n = static_cast<int32_t>(ToBits(t) - ToBits(kRound));
  // ln 2 is split in two parts; the first has so few bits that k times it is
  // exact.
  return (x - k * 0.693359375f) - k * -2.12194440e-4f;
}

// Returns exp(r) - 1 for a reduced r.
inline float Expm1OfReduced(float r) {
  float p = 1.97903029e-4f;  // |r| <= 0.3468
  p = p * r + 1.39447042e-3f;
  p = p * r + 8.33349734e-3f;
  p = p * r + 4.16662944e-2f;
  p = p * r + 1.66666659e-1f;
  p = p * r + 5.00000007e-1f;
  return r + r * r * p;
}

// Returns exp(r) - 1, where x = n ln 2 + r with |r| <= ln 2 / 2, and sets *n.
inline float ReducedExpm1(float x, int32_t* n) {
  return Expm1OfReduced(ReduceExponent(x, n));
}

inline float Exp(float x) {
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  int32_t n;
  const float e = ReducedExpm1(x, &n);
  const int32_t half = n >> 1;  // 2^n may be outside of the normal range
  return (1.0f + e) * PowerOfTwo(half) * PowerOfTwo(n - half);
}

inline float Expm1(float x) {
  x = x < -18.0f ? -18.0f : x;
  x = x > 89.0f ? 89.0f : x;
  int32_t n;
  const float e = ReducedExpm1(x, &n);
  const float s = PowerOfTwo(n - 1);
  return (e * s + (s - 0.5f)) * 2.0f;
}

// Exp for x <= 0 in three quarters of the time, since one power of two
// suffices. Subnormal results are 0, as on the threads that run kernels. The
// result is unspecified for larger x.
inline float ExpOfNegative(float x) {
  x = x < -104.0f ? -104.0f : x;
  int32_t n;
  const float e = ReducedExpm1(x, &n);
  const float s = PowerOfTwo(n < -127 ? -127 : n);
  return s + e * s;
}

inline float Expm1OfNegative(float x) {
  x = x < -18.0f ? -18.0f : x;
  int32_t n;
  const float e = ReducedExpm1(x, &n);
  const float s = PowerOfTwo(n);
  return e * s + (s - 1.0f);
}

// Returns log x for normal x > 0.
inline float LogOfNormal(float x) {
  // x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const uint32_t u = ToBits(x) + (0x3f800000u - 0x3f3504f3u);
  const float k = static_cast<float>(static_cast<int32_t>(u >> 23) - 127);
  const float f = FromBits((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float p = -5.97671458e-2f;
  p = p * f + 1.06323519e-1f;
  p = p * f + -1.08198480e-1f;
  p = p * f + 1.10361782e-1f;
  p = p * f + -1.24243544e-1f;
  p = p * f + 1.42851170e-1f;
  p = p * f + -1.66694079e-1f;
  p = p * f + 2.00000906e-1f;
  p = p * f + -2.49999669e-1f;
  p = p * f + 3.33333324e-1f;
  const float f2 = f * f;
  const float low = f2 * f * p + k * -2.12194440e-4f;
  return (f - (0.5f * f2 - low)) + k * 0.693359375f;
}

// Returns log x where LogOfNormal is not valid, else log_x.
inline float LogEdges(float x, float log_x) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float not_positive = x == 0.0f ? -kInf : nan;
  const float upper = x < kInf ? log_x : kInf;
  return x > 0.0f ? upper : not_positive;
}

inline float Log(float x) {
  const bool small = x < 1.17549435e-38f;
  const float scaled = small ? x * 8388608.0f : x;
  const float y = LogOfNormal(scaled) - (small ? 15.9423847f : 0.0f);
  return LogEdges(x, y);
}

inline float Log1p(float x) {
  const float u = 1.0f + x;
  // Corrects the rounding error of u to first order.
  const float y = LogOfNormal(u) + (x - (u - 1.0f)) / u;
  return LogEdges(u, y);
}

// Sin and Cos are accurate for magnitudes up to this; callers use libm beyond.
inline constexpr float kMaxAngle = 8192.0f;

// Returns r, where x = n pi/2 + r with |r| <= pi/4, and sets *n.
inline float ReduceAngle(float x, uint32_t* n) {
  const float t = x * 0.636619772f + kRound;
  const float k = t - kRound;
  *n = ToBits(t) - ToBits(kRound);
  // pi/2 is split in four parts of 10 bits, so that k times each but the last
  // is exact.
  float r = x - k * 1.5703125f;
  r = r - k * 4.8351287841796875e-4f;
  r = r - k * 3.13855707645416259765625e-7f;
  return r - k * 6.07710050650619260e-11f;
}

inline float SinOfReduced(float r) {
  const float t = r * r;
  float p = 2.71823719e-6f;
  p = p * t + -1.98393271e-4f;
  p = p * t + 8.33332936e-3f;
  p = p * t + -1.66666666e-1f;
  return r + r * t * p;
}

inline float CosOfReduced(float r) {
  const float t = r * r;
  float p = -2.72050448e-7f;
  p = p * t + 2.47994515e-5f;
  p = p * t + -1.38888835e-3f;
  p = p * t + 4.16666666e-2f;
  return 1.0f - (0.5f * t - t * t * p);
}

// Returns sin x if `quarter` is 0, cos x if it is 1.
inline float SinOrCos(float x, uint32_t quarter) {
  uint32_t n;
  const float r = ReduceAngle(x, &n);
  n += quarter;
  const float v = (n & 1) ? CosOfReduced(r) : SinOfReduced(r);
  return FromBits(ToBits(v) ^ ((n & 2) << 30));
}
inline float Sin(float x) { return SinOrCos(x, 0); }
inline float Cos(float x) { return SinOrCos(x, 1); }
inline float Tan(float x) {
  uint32_t n;
  const float r = ReduceAngle(x, &n);
  const float s = SinOfReduced(r);
  const float c = CosOfReduced(r);
  return (n & 1) ? -c / s : s / c;
}

// Computes x P(x^2) / Q(x^2), fitted to |x| <= 9.02.
inline float Tanh(float x) {
  const float a = Abs(x);
  // The minimum is taken by bits, in one instruction; NaN comes back through a.
  const uint32_t bits = ToBits(a * a), most = ToBits(81.3604f);
  const float t = FromBits(bits < most ? bits : most);
  float p = 1.3318965945713634e-8f;
  p = p * t + 2.0583402641265777e-5f;
  p = p * t + 3.4940297514474425e-3f;
  p = p * t + 1.337971390567506e-1f;
  p = p * t + 1.0f;
  float q = 7.761975339974144e-7f;
  q = q * t + 3.283084983314845e-4f;
  q = q * t + 2.587105493536841e-2f;
  q = q * t + 4.6713029149694013e-1f;
  q = q * t + 1.0f;
  float y = a * p / q;
  y = y > 1.0f ? 1.0f : y;
  return FromBits(ToBits(y) | (ToBits(x) & 0x80000000u));
}

inline float Sigmoid(float x) {
  const float e = ExpOfNegative(-Abs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// Returns erf(a) / a for a^2 = t <= 1.
[[gnu::always_inline]] inline float ErfOfSmall(float t) {
  float p = 7.85352540e-5f;
  p = p * t + -8.01010015e-4f;
  p = p * t + 5.18831799e-3f;
  p = p * t + -2.68538073e-2f;
  p = p * t + 1.12835850e-1f;
  p = p * t + -3.76126258e-1f;
  return p * t + 1.12837917f;
}

inline float Erf(float x) {
  float a = Abs(x);
  const float small = a * ErfOfSmall(a * a);
  a = a > 4.0f ? 4.0f : a;
  float q = 1.39325892e-5f;  // -log(1 - erf(a)) = a + a Q(a), 1 <= a <= 4
  q = q * a + -3.50282683e-4f;
  q = q * a + 3.75617110e-3f;
  q = q * a + -2.40071938e-2f;
  q = q * a + 1.06527381e-1f;
  q = q * a + 6.34971736e-1f;
  q = q * a + 1.28693767e-1f;
  const float large = -Expm1OfNegative(-(a + a * q));
  const float y = a <= 1.0f ? small : large;
  return FromBits(ToBits(y) | (ToBits(x) & 0x80000000u));
}

}  // namespace millrace::ops::float_math
