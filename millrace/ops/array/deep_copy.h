// DeepCopy on any device.
#pragma once

#include "millrace/ops/array/mover.h"

namespace millrace::ops {

// Sets output 0 to a copy of input 0.
inline Status RunDeepCopy(KernelContext& ctx, const Mover& mover) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(Tensor* const y, ctx.AllocateOutput(0, x.shape()));
  if (x.num_elements() == 0) return OkStatus();
  return mover.CopyAll(ctx, x, y);
}

}  // namespace millrace::ops
