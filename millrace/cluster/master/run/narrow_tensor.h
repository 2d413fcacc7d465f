// NarrowToBfloat16: float values as bfloat16, for enable_bfloat16_sendrecv.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace {

// Returns the upper halves of the floats, like the op Cast with Truncate.
// Returns INVALID_ARGUMENT for another type.
StatusOr<Tensor> NarrowToBfloat16(const Tensor& value);
StatusOr<Tensor> WidenFromBfloat16(const Tensor& value);

}  // namespace millrace
