#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ResourceApplyAdamWithAmsgrad){
    .inputs =
        "var: resource, m: resource, v: resource, vhat: resource, "
        "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: "
        "T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc =
        "AMSGrad (Reddi, Kale and Kumar, 2018): Adam that divides by the root "
        "of the largest v so far. lr_t = lr * sqrt(1 - beta2_power) / (1 - "
        "beta1_power); m += (1 - beta1) * (grad - m); v += (1 - beta2) * "
        "(grad^2 - v); vhat = max(vhat, v); var -= lr_t * m / (sqrt(vhat) + "
        "epsilon).",
};

}  // namespace millrace::ops
