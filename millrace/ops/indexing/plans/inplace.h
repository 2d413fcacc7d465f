// The checks of InplaceUpdate, InplaceAdd and InplaceSub, the same on any
// device.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Checks that `v` has a row of `x` for each element of `i`.
inline Status CheckInplaceRows(const Tensor& x, const Tensor& i,
                               const Tensor& v) {
  if (i.rank() != 1) {
    return InvalidArgument("i must be a vector. ", i.shape().DebugString());
  }
  if (x.rank() != v.rank()) {
    return InvalidArgument(
        "x and v shape doesn't match (ranks differ): ", x.shape().DebugString(),
        " vs. ", v.shape().DebugString());
  }
  for (int d = 1; d < x.rank(); ++d) {
    if (x.dim(d) == v.dim(d)) continue;
    return InvalidArgument("x and v shape doesn't match at index ", d, " : ",
                           x.shape().DebugString(), " vs. ",
                           v.shape().DebugString());
  }
  if (x.rank() == 0 || i.dim(0) != v.dim(0)) {
    return InvalidArgument(
        "i and x shape doesn't match at index 0: ", i.shape().DebugString(),
        " vs. ", v.shape().DebugString());
  }
  return OkStatus();
}

}  // namespace millrace::ops
