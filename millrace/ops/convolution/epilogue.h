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

// The attributes of a fused op.
struct EpilogueOps {
  bool normalizes = false, adds_bias = false, adds_tensor = false;
  Activation activation = Activation::kNone;
  const char* activation_name = "None";  // as in fused_ops
  float epsilon = 0, alpha = 0;
  int first_input = 0;

  // Reads the attributes fused_ops, epsilon and leakyrelu_alpha: BiasAdd or
  // FusedBatchNorm (scale, offset, mean, variance), then optionally Add of a
  // whole tensor, then optionally an activation. Their arguments are the inputs
  // from `first_input` on. `what` names the product in messages. Returns
  // INVALID_ARGUMENT if the number of inputs does not fit, UNIMPLEMENTED for
  // other lists of ops.
  static StatusOr<EpilogueOps> Read(const KernelInit& init, const char* what,
                                    int first_input);

  // Returns the input that is added as a whole. Requires: adds_tensor.
  int added_input() const { return first_input + (normalizes ? 4 : 1); }
  // Returns INVALID_ARGUMENT if the arguments do not fit an output of this type
  // and shape with so many channels.
  Status CheckArguments(KernelContext& ctx, DataType type,
                        const TensorShape& out, int64_t channels) const;
};

// Works on tensors of rows of channels, [..., channels], of float, double, half
// or bfloat16. Immutable.
class Epilogue {
 public:
  // Returns the errors of EpilogueOps::Read.
  static StatusOr<Epilogue> Make(const KernelInit& init, const char* what,
                                 int first_input);

  // Applies the ops to `out` in place. Returns INVALID_ARGUMENT if arguments
  // have the wrong shapes.
  Status Run(KernelContext& ctx, Tensor* out) const;

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, Tensor* out) const;

  EpilogueOps ops_;
};

}  // namespace millrace::ops
