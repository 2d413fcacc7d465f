// Ragged tensors for the cases of this folder.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases::ragged {

inline constexpr DataType kI = DataType::kInt64;

// Returns splits, of type int64 unless another is given.
inline Value Splits(std::initializer_list<double> splits, DataType t = kI) {
  return Vec(t, splits);
}

}  // namespace millrace::cases::ragged
