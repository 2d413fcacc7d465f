// What the kernels of max pooling have in common.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

// The attributes, or the window and strides of this run.
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

// The problem and the shape of its output.
struct Pooling {
  PoolProblem problem;
  TensorShape output;
};
inline StatusOr<Pooling> PoolingOf(const PoolAttrs& attrs, const TensorShape& x,
                                   PoolOver over) {
  MR_ASSIGN_OR_RETURN(const PoolProblem p, attrs.Resolve(x, over));
  return Pooling{p, attrs.OutputShape(p, x)};
}

// The time that a window's channels take, in ns.
inline int64_t WindowNanos(const PoolProblem& p) {
  return p.Taps() * (p.channels / 4 + 5);
}

// Taps are the pixels that a window covers, numbered in order. A gradient that
// knows which tap was the largest need not read the images again.
//
// Returns the type of their numbers: uint8 for windows of up to 256 taps, int32
// for larger ones.
inline DataType TapType(const PoolProblem& p) {
  return p.Taps() <= 256 ? DataType::kUint8 : DataType::kInt32;
}

// Sets `taps` to the number of the first largest tap for each element of the
// output, and to anything where the window covers nothing. Computes the output
// itself, too, unless that is null. UNIMPLEMENTED as CheckTaps is.
Status FindTaps(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
                Tensor* output, Tensor* taps);

// Sets `out` to the sum of `grad` over the windows whose largest element it is.
Status SumByTaps(KernelContext& ctx, const PoolProblem& p, const Tensor& taps,
                 const Tensor& grad, Tensor* out);

}  // namespace millrace::ops
