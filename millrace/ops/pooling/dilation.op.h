// The windows of dilations, for shape functions and kernels. They differ from
// those of convolutions: rates below 1 are allowed, and filters of no size.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/status.h"

namespace millrace::ops {

// The windows along one dimension: window i has the pixels i * stride - before
// + k * rate for k below `filter`, as far as they are within `input`.
struct DilationDim {
  int64_t input = 0, filter = 0, stride = 1, rate = 1;
  int64_t output = 0, before = 0;
};

// Sets all of *d. Returns INVALID_ARGUMENT for a stride below 1, numbers that
// do not fit an int32 and "Computed output size would be negative" for a filter
// that does not fit.
Status ResolveDilation(const std::string& padding, int64_t input,
                       int64_t filter, int64_t stride, int64_t rate,
                       DilationDim* d);

}  // namespace millrace::ops
