// Attributes and checks of LRN and its gradient, for the memory of any device.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

struct LrnAttrs {
  int64_t radius = 0;
  float bias = 1, alpha = 1, beta = 0.5f;

  static StatusOr<LrnAttrs> Read(const KernelInit& init);
};
// Checks the shapes of the gradient, the image and the result.
Status CheckLrnGrad(KernelContext& ctx);

}  // namespace millrace::ops
