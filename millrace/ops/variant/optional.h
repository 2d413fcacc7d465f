// Optionals made by other kernels.
#pragma once

#include <vector>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// A scalar variant: an optional with these components, without any: nothing.
// RESOURCE_EXHAUSTED.
StatusOr<Tensor> MakeOptional(std::vector<Tensor> components);

}  // namespace millrace::ops
