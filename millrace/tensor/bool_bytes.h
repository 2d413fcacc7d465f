// Bools that come from outside of the process.
#pragma once

#include <cstddef>

#include "millrace/tensor/dtype.h"

namespace millrace {

// Makes each byte but 0 a 1 if `type` is that of bools, else changes nothing. A
// kernel must not see a bool other than 0 and 1: compilers take its bits as a
// number. To be called for elements whose bytes others have written.
inline void CleanBools(DataType type, char* bytes, size_t size) {
  if (type != DataType::kBool) return;
  for (size_t i = 0; i < size; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace millrace
