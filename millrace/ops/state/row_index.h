// The errors of rows that are scattered into a variable.
#pragma once

#include <cstdint>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT "indices[1,0] = 7 is not in [0, 5)" for the element
// of `indices` at `place`, its row-major index.
Status BadRowIndex(const Tensor& indices, int64_t place, int64_t value,
                   int64_t limit);

// Returns INVALID_ARGUMENT unless `updates` has a row of a variable of shape
// `variable` for each of `indices`, or is a scalar. A resource may have updates
// of a wrong shape if there are no indices.
Status CheckRowUpdates(bool resource, const Tensor& indices,
                       const Tensor& updates, const TensorShape& variable);

}  // namespace millrace::ops
