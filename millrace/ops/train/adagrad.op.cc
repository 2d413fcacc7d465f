#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyAdagrad){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .shape = OptimizerShape,
    .doc =
        "accum += grad^2; var -= lr * grad / sqrt(accum). Without update_slots "
        "accum stays.",
};

MR_OP(ResourceApplyAdagrad){
    .inputs = "var: resource, accum: resource, lr: T, grad: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdagrad for resource variables.",
};

MR_OP(SparseApplyAdagrad){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .shape = OptimizerShape,
    .doc = "ApplyAdagrad on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdagrad){
    .inputs =
        "var: resource, accum: resource, lr: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyAdagrad for resource variables.",
};

MR_OP(ApplyAdagradV2){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .shape = OptimizerShape,
    .doc = "accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).",
};

MR_OP(ResourceApplyAdagradV2){
    .inputs = "var: resource, accum: resource, lr: T, epsilon: T, grad: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdagradV2 for resource variables.",
};

MR_OP(SparseApplyAdagradV2){
    .inputs =
        "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: "
        "Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .shape = OptimizerShape,
    .doc = "ApplyAdagradV2 on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdagradV2){
    .inputs =
        "var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: "
        "Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyAdagradV2 for resource variables.",
};

}  // namespace millrace::ops
