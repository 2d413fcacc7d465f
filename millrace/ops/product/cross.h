// The checks of Cross, the same on any device.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

inline Status CheckCross(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) {
    return InvalidArgument(
        "Both inputs must be of same shape: ", a.shape().DebugString(), " vs. ",
        b.shape().DebugString());
  }
  if (a.rank() < 1) {
    return InvalidArgument("Input must be at least 1D",
                           a.shape().DebugString());
  }
  if (a.dim(a.rank() - 1) != 3) {
    return FailedPrecondition(
        "Cross-products are only defined for 3-element vectors.");
  }
  return OkStatus();
}

}  // namespace millrace::ops
