// Quantized numbers and ranges for the cases of this folder.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases::quantized {

inline constexpr DataType kU = DataType::kQuint8;
inline constexpr DataType kS = DataType::kQint8;
inline constexpr DataType kQ = DataType::kQint32;
inline constexpr auto kBad = StatusCode::kInvalidArgument;

inline Value F(double v) { return Scalar(kFloat, v); }
inline Value Unsigned(TensorShape shape) {
  return Rand(kU, std::move(shape), 0, 256);
}
inline Value Signed(TensorShape shape) {
  return Rand(kS, std::move(shape), -127, 128);
}
// Returns a bias, about as large as a sum of a few products.
inline Value Bias(DataType t, int64_t n) {
  return t == kFloat ? Rand(t, {n}, -3, 3) : Rand(t, {n}, -30000, 30000);
}

}  // namespace millrace::cases::quantized
