#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyRMSProp){
    .inputs =
        "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, "
        "epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "ms = rho * ms + (1 - rho) * grad^2; mom = momentum * mom + lr * grad "
        "/ sqrt(ms + epsilon); var -= mom.",
};

MR_OP(ResourceApplyRMSProp){
    .inputs =
        "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: "
        "T, epsilon: T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyRMSProp for resource variables.",
};

MR_OP(SparseApplyRMSProp){
    .inputs =
        "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, "
        "epsilon: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyRMSProp on the rows that indices name.",
};

MR_OP(ResourceSparseApplyRMSProp){
    .inputs =
        "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: "
        "T, epsilon: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyRMSProp for resource variables.",
};

MR_OP(ApplyCenteredRMSProp){
    .inputs =
        "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, "
        "momentum: T, epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "RMSProp by the variance: ms - mg^2 in place of ms, with mg = rho * mg "
        "+ (1 - rho) * grad.",
};

MR_OP(ResourceApplyCenteredRMSProp){
    .inputs =
        "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: "
        "T, momentum: T, epsilon: T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyCenteredRMSProp for resource variables.",
};

MR_OP(SparseApplyCenteredRMSProp){
    .inputs =
        "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, "
        "momentum: T, epsilon: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyCenteredRMSProp on the rows that indices name.",
};

MR_OP(ResourceSparseApplyCenteredRMSProp){
    .inputs =
        "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: "
        "T, momentum: T, epsilon: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyCenteredRMSProp for resource variables.",
};

}  // namespace millrace::ops
