// Declarations that the kernels of max pooling share.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/max_pool_call.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

// Holds the attributes, or the window and strides of this run.
class MaxPoolBase {
 public:
  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(attrs_, PoolAttrs::Make(init));
    return OkStatus();
  }

 protected:
  StatusOr<PoolAttrs> Attrs(KernelContext& ctx, int first) const {
    if (!attrs_.needs_inputs()) return attrs_;
    return PoolAttrs::WithInputs(attrs_, ctx.input(first),
                                 ctx.input(first + 1));
  }

 private:
  PoolAttrs attrs_;
};

// Estimates the time for a window's channels in ns.
inline int64_t WindowNanos(const PoolProblem& p) {
  return p.WindowPixels() * (p.channels / 4 + 5);
}

// The pixels that a window covers are numbered in order; the number of the
// largest one is the window's argmax offset. A gradient that gets the argmax
// offsets need not read the images again.
//
// Returns the type of argmax offsets: uint8 for windows of up to 256 pixels,
// int32 for larger ones.
inline DataType OffsetType(const PoolProblem& p) {
  return p.WindowPixels() <= 256 ? DataType::kUint8 : DataType::kInt32;
}

// Sets `offsets` to the argmax offset for each element of the output: that of
// the first of several largest pixels, unspecified if the window covers none.
// Also computes the output unless it is null. Returns UNIMPLEMENTED as
// CheckOffsets does.
Status FindOffsets(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
                   Tensor* output, Tensor* offsets);

// Sets `out` to the sum of `grad` over the windows whose largest element it is,
// by the `offsets` of FindOffsets.
Status SumByOffsets(KernelContext& ctx, const PoolProblem& p,
                    const Tensor& offsets, const Tensor& grad, Tensor* out);

}  // namespace millrace::ops
