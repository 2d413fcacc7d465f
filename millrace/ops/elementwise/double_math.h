// Elementary functions of a double without branches or calls, as float_math.h
// has them for float: the compiler vectorises a loop over them.
//
// Errors are at most 2.5 units in the last place (tan: 4), with and without
// fused multiply-add. The coefficients are our own minimax fits on the ranges
// that the comments name. The results for infinities and NaN are those of the C
// library. Integers of 64 bits are only added, masked and shifted without a
// sign, which AVX2 has for vectors.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace millrace::ops::double_math {

// Adding this rounds to the nearest integer, which is in the low bits of the
// sum, for magnitudes below 2^51; subtracting it again gives that integer as a
// double.
inline constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr uint64_t kSignBit = uint64_t{1} << 63;

inline double FromBits(uint64_t u) { return std::bit_cast<double>(u); }
inline uint64_t ToBits(double f) { return std::bit_cast<uint64_t>(f); }
inline double Abs(double x) { return FromBits(ToBits(x) & ~kSignBit); }

// Returns 2^n for n in [-1022, 1023], and 0 for -1023.
inline double PowerOfTwo(int64_t n) {
  return FromBits(static_cast<uint64_t>(n + 1023) << 52);
}

// Returns r, where x = n ln 2 + r with |r| <= ln 2 / 2, and sets *n.
inline double ReduceExponent(double x, int64_t* n) {
  const double t = x * 1.4426950408889634 + kRound;
  const double k = t - kRound;
  *n = static_cast<int64_t>(ToBits(t) - ToBits(kRound));
  // The first part of ln 2 has 32 bits, so that k times it is exact.
  return (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
}

// Returns exp(r) - 1 for a reduced r.
inline double Expm1OfReduced(double r) {
  double p = 2.0914728984148773e-9;  // |r| <= 0.3468
  p = p * r + 2.5105275841936967e-8;
  p = p * r + 2.7557273542102105e-7;
  p = p * r + 2.7557255258759863e-6;
  p = p * r + 2.4801587325627419e-5;
  p = p * r + 1.9841269874932201e-4;
  p = p * r + 1.3888888888883726e-3;
  p = p * r + 8.3333333333261032e-3;
  p = p * r + 4.1666666666666670e-2;
  p = p * r + 0.16666666666666671;
  p = p * r + 0.5;
  return r + r * r * p;
}

inline double ReducedExpm1(double x, int64_t* n) {
  return Expm1OfReduced(ReduceExponent(x, n));
}

inline double Exp(double x) {
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  int64_t n;
  const double e = ReducedExpm1(x, &n);
  // 2^n may be outside of the normal range. The shift has no sign.
  const int64_t half =
      static_cast<int64_t>(static_cast<uint64_t>(n + 2048) >> 1) - 1024;
  return (1.0 + e) * PowerOfTwo(half) * PowerOfTwo(n - half);
}

inline double Expm1(double x) {
  x = x < -40.0 ? -40.0 : x;
  x = x > 710.0 ? 710.0 : x;
  int64_t n;
  const double e = ReducedExpm1(x, &n);
  const double s = PowerOfTwo(n - 1);
  const double y = (e * s + (s - 0.5)) * 2.0;
  return FromBits(ToBits(y) | (ToBits(x) & kSignBit));  // of -0 it is -0
}

// Returns exp x for x <= 0; subnormal results are 0, as on the threads that run
// kernels. The result is unspecified for larger x.
inline double ExpOfNegative(double x) {
  x = x < -709.0 ? -709.0 : x;
  int64_t n;
  const double e = ReducedExpm1(x, &n);
  const double s = PowerOfTwo(n);
  const double y = s + e * s;
  return x <= -708.4 ? 0.0 : y;
}

inline double Expm1OfNegative(double x) {
  x = x < -40.0 ? -40.0 : x;
  int64_t n;
  const double e = ReducedExpm1(x, &n);
  const double s = PowerOfTwo(n);
  return e * s + (s - 1.0);
}

// Returns log x for normal x > 0.
inline double LogOfNormal(double x) {
  // x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const uint64_t u = ToBits(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  // The exponent becomes a double as the low bits of 2^52.
  const double k =
      FromBits((u >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  const double f =
      FromBits((u & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  // log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + s^2 P(s^2)).
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 0.13086626147840102;  // z <= 0.02944
  p = p * z + 0.13268773138656885;
  p = p * z + 0.15386239702814658;
  p = p * z + 0.18181795640132906;
  p = p * z + 0.22222222391713917;
  p = p * z + 0.28571428570803612;
  p = p * z + 0.40000000000000877;
  p = p * z + 0.66666666666666666;
  const double square = 0.5 * f * f;
  const double low = s * (square + z * p) + k * 1.9082149292705877e-10;
  return (f - (square - low)) + k * 0.6931471803691238;
}

// Returns log x where LogOfNormal is not valid, else log_x.
inline double LogEdges(double x, double log_x) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double not_positive = x == 0.0 ? -kInf : nan;
  const double upper = x < kInf ? log_x : kInf;
  return x > 0.0 ? upper : not_positive;
}

inline double Log(double x) {
  const bool small = x < 2.2250738585072014e-308;
  const double scaled = small ? x * 18014398509481984.0 : x;  // 2^54
  const double y = LogOfNormal(scaled) - (small ? 37.429947750237048 : 0.0);
  return LogEdges(x, y);
}

inline double Log1p(double x) {
  const double u = 1.0 + x;
  // Corrects the rounding error of u to first order.
  const double y = LogOfNormal(u) + (x - (u - 1.0)) / u;
  return FromBits(ToBits(LogEdges(u, y)) | (ToBits(x) & kSignBit));
}

inline double Tanh(double x) {
  const double e = Expm1OfNegative(-2.0 * Abs(x));
  const double y = e / (2.0 + e);
  return FromBits((ToBits(y) & ~kSignBit) | (ToBits(x) & kSignBit));
}

inline double Sigmoid(double x) {
  const double e = ExpOfNegative(-Abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// Sin, Cos and Tan are accurate for magnitudes up to this; callers use libm
// beyond.
inline constexpr double kMaxAngle = 1e6;

// Returns r, where x = n pi/2 + r with |r| <= pi/4, and sets *n.
inline double ReduceAngle(double x, uint64_t* n) {
  const double t = x * 0.63661977236758134 + kRound;
  const double k = t - kRound;
  *n = ToBits(t) - ToBits(kRound);
  // The first two parts of pi/2 have 33 bits, so that k times each is exact.
  const double r = (x - k * 1.5707963267341256) - k * 6.077100506303966e-11;
  return r - k * 2.0222662487959506e-21;
}

inline double SinOfReduced(double r) {
  const double t = r * r;
  double p = -7.5866368828251597e-13;
  p = p * t + 1.6058530596645955e-10;
  p = p * t + -2.5052106225994401e-8;
  p = p * t + 2.7557319219320580e-6;
  p = p * t + -1.9841269841265041e-4;
  p = p * t + 8.3333333333333315e-3;
  p = p * t + -0.16666666666666667;
  return r + r * t * p;
}

inline double CosOfReduced(double r) {
  const double t = r * r;
  double p = 4.7458384125310230e-14;
  p = p * t + -1.1470460319209512e-11;
  p = p * t + 2.0876755787492606e-9;
  p = p * t + -2.7557319221392491e-7;
  p = p * t + 2.4801587301584633e-5;
  p = p * t + -1.3888888888888888e-3;
  p = p * t + 4.1666666666666667e-2;
  return 1.0 - (0.5 * t - t * t * p);
}

// Returns sin x if `quarter` is 0, cos x if it is 1.
inline double SinOrCos(double x, uint64_t quarter) {
  uint64_t n;
  const double r = ReduceAngle(x, &n);
  n += quarter;
  const double v = (n & 1) ? CosOfReduced(r) : SinOfReduced(r);
  return FromBits(ToBits(v) ^ ((n & 2) << 62));
}
inline double Sin(double x) { return SinOrCos(x, 0); }
inline double Cos(double x) { return SinOrCos(x, 1); }
inline double Tan(double x) {
  uint64_t n;
  const double r = ReduceAngle(x, &n);
  const double s = SinOfReduced(r);
  const double c = CosOfReduced(r);
  return (n & 1) ? -c / s : s / c;
}

}  // namespace millrace::ops::double_math
