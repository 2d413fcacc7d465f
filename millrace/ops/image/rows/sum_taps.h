// Resizes images along both axes, with any taps.
#pragma once

#include "millrace/kernel/kernel.h"
#include "millrace/ops/image/axis.h"

namespace millrace::ops {

// Sets each pixel of `out` [n, y.size(), x.size(), channels], of float,
// half or bfloat16, to the sum of the pixels of `in` [n, height, width,
// channels] that the axes take, by the products of their weights. Sums are
// float. Pixels whose weight is 0 are not read, which keeps NaN and infinity
// out. Requires elements on both sides.
Status SumTaps(KernelContext& ctx, const Tensor& in, const Axis& y,
               const Axis& x, Tensor* out);

}  // namespace millrace::ops
