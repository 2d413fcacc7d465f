// Tensors that the cases of quantized ops share.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases {

inline constexpr DataType kU = DataType::kQuint8;
inline constexpr DataType kQ = DataType::kQint32;
inline constexpr StatusCode kBad = StatusCode::kInvalidArgument;

// Returns an end of a range.
inline Value F(double v) { return Scalar(kFloat, v); }
inline Value Bytes(TensorShape shape) {
  return Rand(kU, std::move(shape), 0, 256);
}
// Returns numbers of type kU, kQ or kFloat.
inline Value Numbers(DataType t, TensorShape shape) {
  return t == kU                 ? Rand(t, std::move(shape), 0, 256)
         : t == DataType::kFloat ? Rand(t, std::move(shape), -9, 9)
                                 : Rand(t, std::move(shape), -2e9, 2e9);
}

}  // namespace millrace::cases
