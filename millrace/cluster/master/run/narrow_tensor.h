// Float values as bfloat16, for enable_bfloat16_sendrecv.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace {

// The upper halves of the floats, as the op Cast does with Truncate.
// INVALID_ARGUMENT for another type.
StatusOr<Tensor> NarrowToBfloat16(const Tensor& value);
StatusOr<Tensor> WidenFromBfloat16(const Tensor& value);

}  // namespace millrace
