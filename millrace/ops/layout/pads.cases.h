// Paddings for the cases of this folder.
#pragma once

#include <initializer_list>

#include "tests/cases/case.h"

namespace millrace::cases {

// Returns a matrix of two columns, from its rows one after the other.
inline Value Pads(std::initializer_list<double> values,
                  DataType type = DataType::kInt32) {
  return Of(type, {static_cast<int64_t>(values.size()) / 2, 2}, values);
}

}  // namespace millrace::cases
