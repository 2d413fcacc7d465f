// The attribute and the shapes of ResourceGather, for kernels of all devices.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// Reads the attribute `batch_dims`; INVALID_ARGUMENT if it is negative or no
// int32.
StatusOr<int64_t> ResourceGatherBatchDims(const KernelInit& init);

// Returns the shape of the gathered rows; INVALID_ARGUMENT if the shapes do not
// fit each other.
StatusOr<TensorShape> ResourceGatherShape(const TensorShape& params,
                                          const TensorShape& indices,
                                          int64_t batch_dims);

}  // namespace millrace::ops
