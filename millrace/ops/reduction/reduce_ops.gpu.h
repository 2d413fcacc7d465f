// The text of what ops reduce by, for texts of kernels that use it.
#pragma once

#include <array>

#include "millrace/device/cuda/gpu_source.h"

namespace millrace::ops {

// Returns reduce_ops.gpu.cu and, behind it, `text`.
std::array<const GpuSource*, 2> WithReduceOps(const GpuSource& text);

}  // namespace millrace::ops
