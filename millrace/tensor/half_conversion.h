// Converts float and double to binary16 and back, for compilers without
// _Float16 on baseline x86-64 (clang before 15: the fuzzers, clang-tidy).
#pragma once

#include <bit>
#include <cstdint>

namespace millrace::internal {

#if defined(__clang__) && __clang_major__ < 15

// Rounds to nearest even, once; a NaN becomes quiet and keeps its upper bits.
constexpr uint16_t HalfBits(double d) {
  const uint64_t u = std::bit_cast<uint64_t>(d);
  const auto sign = static_cast<uint16_t>(u >> 48 & 0x8000);
  const int exponent = static_cast<int>(u >> 52 & 0x7ff) - 1023;
  const uint64_t mantissa = u & ((uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    if (mantissa == 0) return sign | 0x7c00;
    return static_cast<uint16_t>(sign | 0x7e00 | mantissa >> 42);
  }
  if (exponent > 15) return sign | 0x7c00;
  if (exponent < -25) return sign;
  // The bits that are kept, followed by `shift` bits that are rounded away. A
  // carry out of the mantissa raises the exponent, as it should.
  uint64_t full = mantissa | static_cast<uint64_t>(exponent + 15) << 52;
  int shift = 42;
  if (exponent < -14) {
    full = mantissa | uint64_t{1} << 52;
    shift += -14 - exponent;
  }
  const uint64_t rest = full & ((uint64_t{1} << shift) - 1);
  const uint64_t tie = uint64_t{1} << (shift - 1);
  uint64_t kept = full >> shift;
  if (rest > tie || (rest == tie && (kept & 1))) ++kept;
  return static_cast<uint16_t>(sign | kept);
}
constexpr uint16_t HalfBits(float f) {
  return HalfBits(static_cast<double>(f));
}

constexpr float HalfValue(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact
    const float f = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -f : f;
  }
  const uint32_t e = exponent == 31 ? 255 : exponent + 112;
  const uint32_t quiet = exponent == 31 && mantissa != 0 ? 0x400000 : 0;
  return std::bit_cast<float>(sign | e << 23 | mantissa << 13 | quiet);
}

#else

constexpr uint16_t HalfBits(float f) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(f));
}
constexpr uint16_t HalfBits(double d) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(d));
}
constexpr float HalfValue(uint16_t bits) {
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}

#endif

}  // namespace millrace::internal
