#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

#define MR_ADAM_ATTRS \
  "T: numbertype; use_locking: bool = false; use_nesterov: bool = false"

#define MR_ADAM_SCALARS                                                  \
  "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: " \
  "T, grad: T"

MR_OP(ApplyAdam){
    .inputs = "var: Ref(T), m: Ref(T), v: Ref(T), " MR_ADAM_SCALARS,
    .outputs = "out: Ref(T)",
    .attrs = MR_ADAM_ATTRS,
    .shape = OptimizerShape,
    .doc =
        "Adam (Kingma and Ba, 2014) with the bias correction in the rate: "
        "lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power); m += (1 - "
        "beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); var -= lr_t "
        "* m / (sqrt(v) + epsilon).",
};

MR_OP(ResourceApplyAdam){
    .inputs = "var: resource, m: resource, v: resource, " MR_ADAM_SCALARS,
    .attrs = MR_ADAM_ATTRS,
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdam for resource variables.",
};

}  // namespace millrace::ops
