#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyAdadelta){
    .inputs =
        "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, "
        "epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "accum = rho * accum + (1 - rho) * grad^2; update = sqrt(accum_update "
        "+ epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update; "
        "accum_update = rho * accum_update + (1 - rho) * update^2.",
};

MR_OP(ResourceApplyAdadelta){
    .inputs =
        "var: resource, accum: resource, accum_update: resource, lr: T, rho: "
        "T, epsilon: T, grad: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdadelta for resource variables.",
};

MR_OP(SparseApplyAdadelta){
    .inputs =
        "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, "
        "epsilon: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyAdadelta on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdadelta){
    .inputs =
        "var: resource, accum: resource, accum_update: resource, lr: T, rho: "
        "T, epsilon: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyAdadelta for resource variables.",
};

}  // namespace millrace::ops
