// Optionals made by other kernels.
#pragma once

#include <vector>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns a scalar variant: an optional with these components, empty if there
// are none. Returns RESOURCE_EXHAUSTED if memory runs out.
StatusOr<Tensor> MakeOptional(std::vector<Tensor> components);

}  // namespace millrace::ops
