// Checks of Bincount and DenseBincount, for the memory of any device.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Reads the number of bins, which lies in host memory.
StatusOr<int64_t> BinCount(const Tensor& size);
Status CheckBincount(const TensorShape& x, const TensorShape& weights);
Status CheckDenseBincount(const TensorShape& x, const TensorShape& weights);

}  // namespace millrace::ops
