// The error for an index outside of a variable.
#pragma once

#include <cstdint>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT "indices[1,0] = 7 is not in [0, 5)" for the element
// of `indices` at `place`, its row-major index.
Status BadRowIndex(const Tensor& indices, int64_t place, int64_t value,
                   int64_t limit);

}  // namespace millrace::ops
