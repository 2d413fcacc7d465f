// MaxPoolCall: what one run of max pooling, or of one of its gradients,
// computes.
#pragma once

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

// Says what a gradient by argmax does with it: adds elements there, or takes
// those that are there.
enum class ByArgmax { kScatter, kGather };

// All return INVALID_ARGUMENT if the shapes of inputs do not fit each other,
// and what PoolAttrs::Resolve returns.
struct MaxPoolCall {
  PoolProblem problem;
  TensorShape output;  // of the pooling

  static StatusOr<MaxPoolCall> Of(const PoolAttrs& attrs, const TensorShape& x,
                                  PoolOver over);
  // Returns the call of a pooling with argmax of input 0.
  static StatusOr<MaxPoolCall> OfArgmax(const KernelContext& ctx,
                                        const PoolAttrs& attrs);
  // Returns the call of a gradient. The inputs are what was pooled, its
  // pooling, and the gradient of that; for a gradient of the gradient the last
  // one has the shape of the first.
  static StatusOr<MaxPoolCall> OfGrad(const KernelContext& ctx,
                                      const PoolAttrs& attrs);
  static StatusOr<MaxPoolCall> OfGradGrad(const KernelContext& ctx,
                                          const PoolAttrs& attrs);
  // The inputs are what was pooled, the gradient (of the pooling where it is
  // scattered, else of what was pooled) and argmax.
  static StatusOr<MaxPoolCall> OfGradByArgmax(const KernelContext& ctx,
                                              const PoolAttrs& attrs,
                                              ByArgmax way);
};

}  // namespace millrace::ops
