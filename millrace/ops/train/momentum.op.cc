#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

#define MR_NESTEROV_ATTRS \
  "T: numbertype; use_locking: bool = false; use_nesterov: bool = false"

#define MR_ROWS_ATTRS                                                    \
  "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; " \
  "use_nesterov: bool = false"

MR_OP(ApplyMomentum){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T",
    .outputs = "out: Ref(T)",
    .attrs = MR_NESTEROV_ATTRS,
    .shape = OptimizerShape,
    .doc =
        "accum = accum * momentum + grad; var -= lr * accum. With Nesterov: "
        "var -= grad * lr + accum * momentum * lr.",
};

MR_OP(ResourceApplyMomentum){
    .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
    .attrs = MR_NESTEROV_ATTRS,
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyMomentum for resource variables.",
};

MR_OP(SparseApplyMomentum){
    .inputs =
        "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, "
        "momentum: T",
    .outputs = "out: Ref(T)",
    .attrs = MR_ROWS_ATTRS,
    .shape = OptimizerShape,
    .doc =
        "Momentum on the rows that indices name: accum = accum * momentum + "
        "grad; var -= lr * accum.",
};

MR_OP(ResourceSparseApplyMomentum){
    .inputs =
        "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, "
        "momentum: T",
    .attrs = MR_ROWS_ATTRS,
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyMomentum for resource variables.",
};

}  // namespace millrace::ops
