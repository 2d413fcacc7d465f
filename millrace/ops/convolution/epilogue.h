// The epilogue of the fused ops of stock's graph rewriting: processes the
// elements of a product in one pass over the output instead of one kernel for
// each op.
#pragma once

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

enum class Activation {
  kNone,
  kRelu,
  kRelu6,
  kElu,
  kLeakyRelu,
  kTanh,
  kSigmoid,
  kGeluExact,
  kGeluApproximate,
};

// Works on tensors of rows of channels, [..., channels], of float, double, half
// or bfloat16. Immutable.
class Epilogue {
 public:
  // Reads the attributes fused_ops, epsilon and leakyrelu_alpha: BiasAdd or
  // FusedBatchNorm (scale, offset, mean, variance), then optionally Add of a
  // whole tensor, then optionally an activation. Their arguments are the inputs
  // from `first_input` on. `what` names the product in messages. Returns
  // INVALID_ARGUMENT if the number of inputs does not fit, UNIMPLEMENTED for
  // other lists of ops.
  static StatusOr<Epilogue> Make(const KernelInit& init, const char* what,
                                 int first_input);

  // Applies the ops to `out` in place. Returns INVALID_ARGUMENT if arguments
  // have the wrong shapes.
  Status Run(KernelContext& ctx, Tensor* out) const;

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, Tensor* out) const;

  bool normalizes_ = false, adds_bias_ = false, adds_tensor_ = false;
  Activation activation_ = Activation::kNone;
  float epsilon_ = 0, alpha_ = 0;
  int first_input_ = 0;
};

}  // namespace millrace::ops
