// AvgPoolGradCall: what one run of a gradient of average pooling computes.
#pragma once

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

struct AvgPoolGradCall {
  PoolProblem problem;
  TensorShape input;  // the shape of what was pooled, and of the result

  // Reads input 0, the shape of what was pooled, which lies on the host, and
  // the shape of input 1, the gradient of the output. `rank` is that of images
  // or of volumes. Returns INVALID_ARGUMENT if they do not fit each other.
  static StatusOr<AvgPoolGradCall> Of(KernelContext& ctx,
                                      const PoolAttrs& attrs, int rank);
};

}  // namespace millrace::ops
