#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyProximalGradientDescent){
    .inputs = "var: Ref(T), alpha: T, l1: T, l2: T, delta: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "A step of gradient descent, then of length alpha against l1 and l2.",
};

MR_OP(ResourceApplyProximalGradientDescent){
    .inputs = "var: resource, alpha: T, l1: T, l2: T, delta: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyProximalGradientDescent for resource variables.",
};

MR_OP(SparseApplyProximalGradientDescent){
    .inputs = "var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyProximalGradientDescent on the rows that indices name.",
};

MR_OP(ResourceSparseApplyProximalGradientDescent){
    .inputs =
        "var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyProximalGradientDescent for resource variables.",
};

MR_OP(ApplyProximalAdagrad){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "A step of Adagrad, then of its length against l1 and l2.",
};

MR_OP(ResourceApplyProximalAdagrad){
    .inputs = "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyProximalAdagrad for resource variables.",
};

MR_OP(SparseApplyProximalAdagrad){
    .inputs =
        "var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: "
        "Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyProximalAdagrad on the rows that indices name.",
};

MR_OP(ResourceSparseApplyProximalAdagrad){
    .inputs =
        "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, "
        "indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyProximalAdagrad for resource variables.",
};

}  // namespace millrace::ops
