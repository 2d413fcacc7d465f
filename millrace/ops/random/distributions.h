// Converts random bits to numbers, by TensorFlow's rules.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "millrace/tensor/numeric_types.h"

namespace millrace::ops {

// Return a number in [0, 1): the bits become the fraction of a number in [1,
// 2).
inline float UniformFloat(uint32_t x) {
  return std::bit_cast<float>(0x3f800000u | (x & 0x7fffffu)) - 1.0f;
}
inline double UniformDouble(uint32_t high, uint32_t low) {
  const uint64_t fraction = uint64_t{high & 0xfffffu} << 32 | low;
  return std::bit_cast<double>(uint64_t{1023} << 52 | fraction) - 1.0;
}
inline Half UniformHalf(uint32_t x) {
  const auto bits = static_cast<uint16_t>(15u << 10 | (x & 0x3ffu));
  return Half(static_cast<float>(Half::FromBits(bits)) - 1.0f);
}
inline Bfloat16 UniformBfloat16(uint32_t x) {
  const auto bits = static_cast<uint16_t>(127u << 7 | (x & 0x7fu));
  return Bfloat16(static_cast<float>(Bfloat16::FromBits(bits)) - 1.0f);
}

// Two normal numbers, made of two uniform ones (Box and Muller, 1958).
struct FloatPair {
  float first, second;
};
inline FloatPair NormalFloats(uint32_t x0, uint32_t x1) {
  constexpr float kEpsilon = 1.0e-7f;
  float u = UniformFloat(x0);
  if (u < kEpsilon) u = kEpsilon;
  const float angle =
      static_cast<float>(2.0 * std::numbers::pi * UniformFloat(x1));
  const float radius = std::sqrt(-2.0f * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
struct DoublePair {
  double first, second;
};
inline DoublePair NormalDoubles(uint32_t x0, uint32_t x1, uint32_t x2,
                                uint32_t x3) {
  constexpr double kEpsilon = 1.0e-7;
  double u = UniformDouble(x0, x1);
  if (u < kEpsilon) u = kEpsilon;
  const double angle = 2.0 * std::numbers::pi * UniformDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

// Truncated numbers lie within this many standard deviations.
inline constexpr double kTruncateAt = 2.0;

}  // namespace millrace::ops
