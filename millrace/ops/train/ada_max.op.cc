#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyAdaMax){
    .inputs =
        "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, "
        "beta2: T, epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "Adam with the largest gradient as second moment: v = max(beta2 * v, "
        "|grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon).",
};

MR_OP(ResourceApplyAdaMax){
    .inputs =
        "var: resource, m: resource, v: resource, beta1_power: T, lr: T, "
        "beta1: T, beta2: T, epsilon: T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdaMax for resource variables.",
};

}  // namespace millrace::ops
