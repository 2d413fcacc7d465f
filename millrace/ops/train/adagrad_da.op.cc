#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyAdagradDA){
    .inputs =
        "var: Ref(T), gradient_accumulator: Ref(T), "
        "gradient_squared_accumulator: Ref(T), grad: T, lr: T, l1: T, l2: T, "
        "global_step: int64",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc =
        "Dual averaging: sums gradients and their squares; var follows from "
        "the sums, shrunk by l1 * global_step.",
};

MR_OP(ResourceApplyAdagradDA){
    .inputs =
        "var: resource, gradient_accumulator: resource, "
        "gradient_squared_accumulator: resource, grad: T, lr: T, l1: T, l2: T, "
        "global_step: int64",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyAdagradDA for resource variables.",
};

MR_OP(SparseApplyAdagradDA){
    .inputs =
        "var: Ref(T), gradient_accumulator: Ref(T), "
        "gradient_squared_accumulator: Ref(T), grad: T, indices: Tindices, lr: "
        "T, l1: T, l2: T, global_step: int64",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyAdagradDA on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdagradDA){
    .inputs =
        "var: resource, gradient_accumulator: resource, "
        "gradient_squared_accumulator: resource, grad: T, indices: Tindices, "
        "lr: T, l1: T, l2: T, global_step: int64",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyAdagradDA for resource variables.",
};

}  // namespace millrace::ops
