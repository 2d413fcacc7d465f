// What the fused ops of stock's graph rewriting do with the elements of a
// product: one pass over the output in place of a kernel an op.
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

// For tensors of rows of channels, [..., channels], of float, double, half or
// bfloat16. Immutable.
class Epilogue {
 public:
  // From the attributes fused_ops, epsilon and leakyrelu_alpha: BiasAdd or
  // FusedBatchNorm (scale, offset, mean, variance), then perhaps Add of a whole
  // tensor, then perhaps an activation. Their arguments are the inputs from
  // `first_input` on. `what` is for messages. INVALID_ARGUMENT where their
  // number does not fit, UNIMPLEMENTED for other lists.
  static StatusOr<Epilogue> Make(const KernelInit& init, const char* what,
                                 int first_input);

  // INVALID_ARGUMENT for arguments of other shapes.
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
