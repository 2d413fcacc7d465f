// Converts spans of half and bfloat16 to float and back.
#pragma once

#include <cstdint>

#include "millrace/tensor/dtype.h"

namespace millrace::ops {

// The number of elements that kernels convert at a time; a block of floats
// stays in the first-level cache.
inline constexpr int64_t kFloatBlock = 1024;

// Returns true for half and bfloat16.
constexpr bool ComputesInFloat(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16;
}

// Convert n elements. `type` is half or bfloat16. FromFloats rounds to nearest
// even.
void ToFloats(DataType type, const void* from, float* to, int64_t n);
void FromFloats(DataType type, const float* from, void* to, int64_t n);

}  // namespace millrace::ops
