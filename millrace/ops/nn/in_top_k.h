// Checks of InTopK, for the memory of any device.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Checks predictions [batch, classes] and targets [batch].
Status CheckInTopK(const TensorShape& predictions, const TensorShape& targets);

}  // namespace millrace::ops
