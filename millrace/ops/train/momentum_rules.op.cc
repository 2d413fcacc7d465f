#include "millrace/ops/train/apply_shapes.op.h"

namespace millrace::ops {

MR_OP(SparseApplyMomentum){
    .inputs =
        "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, "
        "momentum: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "use_nesterov: bool = false",
    .shape = SparseShape<false, 2, 3>,
    .doc =
        "Momentum on the rows that indices name: accum = accum * momentum + "
        "grad; var -= lr * accum.",
};

MR_OP(ResourceSparseApplyMomentum){
    .inputs =
        "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, "
        "momentum: T",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "use_nesterov: bool = false",
    .flags = kStateful,
    .shape = SparseShape<true, 2, 3>,
    .doc = "SparseApplyMomentum for resource variables.",
};

MR_OP(ResourceApplyKerasMomentum){
    .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
    .flags = kStateful,
    .shape = DenseShape<true, 2, 3>,
    .doc =
        "accum = accum * momentum - lr * grad; var += accum. With Nesterov: "
        "var += accum * momentum - lr * grad.",
};

MR_OP(ResourceSparseApplyKerasMomentum){
    .inputs =
        "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, "
        "momentum: T",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "use_nesterov: bool = false",
    .flags = kStateful,
    .shape = SparseShape<true, 2, 3>,
    .doc = "ResourceApplyKerasMomentum on the rows that indices name.",
};

MR_OP(ApplyAddSign){
    .inputs =
        "var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, "
        "grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 2, 6>,
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
    .shape = DenseShape<true, 2, 6>,
    .doc = "ApplyAddSign for resource variables.",
};

MR_OP(ApplyPowerSign){
    .inputs =
        "var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, "
        "grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 2, 6>,
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
    .shape = DenseShape<true, 2, 6>,
    .doc = "ApplyPowerSign for resource variables.",
};

MR_OP(ApplyAdaMax){
    .inputs =
        "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, "
        "beta2: T, epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 3, 8>,
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
    .shape = DenseShape<true, 3, 8>,
    .doc = "ApplyAdaMax for resource variables.",
};

}  // namespace millrace::ops
