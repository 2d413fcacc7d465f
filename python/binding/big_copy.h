// Copies of large tensors, for arrays.
#pragma once

#include <cstddef>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::python {

// Tensors of this many bytes are worth several threads.
inline constexpr size_t kBigCopyBytes = 1 << 20;

// Returns a copy of a tensor of a plain type in memory of the runtime, made by
// several threads. That memory has its pages since former values, while those
// of a new array of numpy's are made on the first touch, by one thread.
// RESOURCE_EXHAUSTED if there is no room.
StatusOr<Tensor> BigCopy(const Tensor& tensor);

}  // namespace millrace::python
