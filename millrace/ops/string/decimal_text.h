// Decimal numbers as printf writes them in the C locale, in a fraction of its
// time.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>

namespace millrace::ops {

// The most bytes of a number that these functions write.
inline constexpr int kMaxDecimalText = 512;

namespace internal {

inline constexpr int kMaxFixedDigits = 15;
inline constexpr double kPowersOf10[kMaxFixedDigits + 1] = {
    1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Returns the integer that is nearest to v * 10^digits, of two the even one, as
// printf rounds. Returns false if it is too large for this way. Requires: v is
// not negative.
inline bool ScaleExactly(double v, int digits, uint64_t* nearest) {
  const double scale = kPowersOf10[digits];
  const double product = v * scale;
  // So that the rounding error is less than 1/8; false for NaN, too.
  if (!(product < 0x1p49)) return false;
  // 24 bits times the 28 of 5^12 are exact.
  const bool exact =
      digits <= 12 && v == static_cast<double>(static_cast<float>(v));
  const double error = exact ? 0 : std::fma(v, scale, -product);
  const auto whole = static_cast<uint64_t>(product);
  // Exact where it is near to the error.
  const double beyond_half = product - static_cast<double>(whole) - 0.5;
  const bool up =
      beyond_half > -error || (beyond_half == -error && whole % 2 == 1);
  *nearest = whole + (up ? 1 : 0);
  return true;
}

}  // namespace internal

// Writes `v` with `digits` digits behind the point, as %.*f does. Returns the
// end of the text; null if it is written only by printf.
inline char* WriteFixed(double v, int digits, char* out) {
  uint64_t n;
  if (digits < 0 || digits > internal::kMaxFixedDigits ||
      !internal::ScaleExactly(std::fabs(v), digits, &n)) {
    return nullptr;
  }
  if (std::signbit(v)) *out++ = '-';
  const auto scale = static_cast<uint64_t>(internal::kPowersOf10[digits]);
  out = std::to_chars(out, out + 20, n / scale).ptr;
  if (digits == 0) return out;
  *out++ = '.';
  n %= scale;
  for (char* at = out + digits; at > out; n /= 10) {
    *--at = static_cast<char>('0' + n % 10);
  }
  return out + digits;
}

// Does the same as %.*e or %.*g do.
inline char* WriteByExponent(double v, std::chars_format format, int digits,
                             char* out) {
  if (!std::isfinite(v) || digits < 0 || digits > 100) return nullptr;
  return std::to_chars(out, out + kMaxDecimalText, v, format, digits).ptr;
}

}  // namespace millrace::ops
