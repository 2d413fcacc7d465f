// The parts of sparse tensors, for cases.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases {

inline constexpr DataType kI64 = DataType::kInt64;
inline constexpr DataType kI32 = DataType::kInt32;
inline constexpr DataType kF32 = DataType::kFloat;
inline constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

inline Value Long(std::initializer_list<double> v) { return Vec(kI64, v); }

// Return coordinates of entries in two dimensions, or in three.
inline Value Pairs(DataType t, std::initializer_list<double> v) {
  return Of(t, TensorShape({static_cast<int64_t>(v.size() / 2), 2}), v);
}
inline Value Pairs(std::initializer_list<double> v) { return Pairs(kI64, v); }
inline Value NoPairs() { return Empty(kI64, {0, 2}); }
inline Value Triples(std::initializer_list<double> v) {
  return Of(kI64, TensorShape({static_cast<int64_t>(v.size() / 3), 3}), v);
}

// Returns the tolerance for sums of numbers of type `t`.
inline double SumTolerance(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16 ? 2e-2 : 1e-5;
}

}  // namespace millrace::cases
