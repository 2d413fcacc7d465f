// Zeros for a tensor inside a variant.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Zeros of the type and shape of `t`; nothing for a tensor without a type.
// INVALID_ARGUMENT for handles; RESOURCE_EXHAUSTED.
StatusOr<Tensor> ZerosLikeTensor(const Tensor& t, Allocator* allocator);

}  // namespace millrace::ops
