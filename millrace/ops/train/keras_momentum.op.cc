#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ResourceApplyKerasMomentum){
    .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
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
    .shape = OptimizerShape,
    .doc = "ResourceApplyKerasMomentum on the rows that indices name.",
};

}  // namespace millrace::ops
