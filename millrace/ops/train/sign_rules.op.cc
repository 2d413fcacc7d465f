#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyAddSign){
    .inputs =
        "var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, "
        "grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * "
        "sign(grad) * sign(m)) * grad.",
};

MR_OP(ResourceApplyAddSign){
    .inputs =
        "var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, "
        "grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAddSign for resource variables.",
};

MR_OP(ApplyPowerSign){
    .inputs =
        "var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, "
        "grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * "
        "sign_decay * sign(grad) * sign(m)) * grad.",
};

MR_OP(ResourceApplyPowerSign){
    .inputs =
        "var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: "
        "T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyPowerSign for resource variables.",
};

}  // namespace millrace::ops
