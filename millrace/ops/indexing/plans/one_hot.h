// Checks and shapes of OneHot, for the memory of any device.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// The output has the form [outer, depth, inner], the indices [outer, inner].
struct OneHotForm {
  int64_t outer = 1, depth = 1, inner = 1;
};
struct OneHotPlan {
  OneHotForm form;
  TensorShape shape;
};

// Checks the inputs of OneHot, of which `depth` lies in host memory.
StatusOr<OneHotPlan> PlanOneHot(KernelContext& ctx, int64_t axis);

}  // namespace millrace::ops
