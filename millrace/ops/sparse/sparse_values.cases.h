// The parts of sparse tensors, for cases.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases {

inline Value Long(std::initializer_list<double> v) { return Vec(kInt64, v); }

// Return coordinates of entries in two dimensions, or in three.
inline Value Pairs(DataType t, std::initializer_list<double> v) {
  return Of(t, TensorShape({static_cast<int64_t>(v.size() / 2), 2}), v);
}
inline Value Pairs(std::initializer_list<double> v) { return Pairs(kInt64, v); }
inline Value NoPairs() { return Empty(kInt64, {0, 2}); }
inline Value Triples(std::initializer_list<double> v) {
  return Of(kInt64, TensorShape({static_cast<int64_t>(v.size() / 3), 3}), v);
}

// Returns the tolerance for sums of numbers of type `t`.
inline double SumTolerance(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16 ? 2e-2 : 1e-5;
}

}  // namespace millrace::cases
