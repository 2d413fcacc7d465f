#include "millrace/ops/train/apply_shapes.op.h"

namespace millrace::ops {

MR_OP(ApplyAdagrad){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .shape = DenseShape<false, 2, 3>,
    .doc =
        "accum += grad^2; var -= lr * grad / sqrt(accum). Without update_slots "
        "accum stays.",
};

MR_OP(ResourceApplyAdagrad){
    .inputs = "var: resource, accum: resource, lr: T, grad: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .flags = kStateful,
    .shape = DenseShape<true, 2, 3>,
    .doc = "ApplyAdagrad for resource variables.",
};

MR_OP(SparseApplyAdagrad){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .shape = SparseShape<false, 2, 3>,
    .doc = "ApplyAdagrad on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdagrad){
    .inputs =
        "var: resource, accum: resource, lr: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "update_slots: bool = true",
    .flags = kStateful,
    .shape = SparseShape<true, 2, 3>,
    .doc = "SparseApplyAdagrad for resource variables.",
};

MR_OP(ApplyAdagradV2){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .shape = DenseShape<false, 2, 4>,
    .doc = "accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).",
};

MR_OP(ResourceApplyAdagradV2){
    .inputs = "var: resource, accum: resource, lr: T, epsilon: T, grad: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; update_slots: bool = true",
    .flags = kStateful,
    .shape = DenseShape<true, 2, 4>,
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
    .shape = SparseShape<false, 2, 4>,
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
    .shape = SparseShape<true, 2, 4>,
    .doc = "SparseApplyAdagradV2 for resource variables.",
};

MR_OP(ApplyAdadelta){
    .inputs =
        "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, "
        "epsilon: T, grad: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 3, 6>,
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
    .shape = DenseShape<true, 3, 6>,
    .doc = "ApplyAdadelta for resource variables.",
};

MR_OP(SparseApplyAdadelta){
    .inputs =
        "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, "
        "epsilon: T, grad: T, indices: Tindices",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = SparseShape<false, 3, 6>,
    .doc = "ApplyAdadelta on the rows that indices name.",
};

MR_OP(ResourceSparseApplyAdadelta){
    .inputs =
        "var: resource, accum: resource, accum_update: resource, lr: T, rho: "
        "T, epsilon: T, grad: T, indices: Tindices",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .flags = kStateful,
    .shape = SparseShape<true, 3, 6>,
    .doc = "SparseApplyAdadelta for resource variables.",
};

MR_OP(ApplyAdagradDA){
    .inputs =
        "var: Ref(T), gradient_accumulator: Ref(T), "
        "gradient_squared_accumulator: Ref(T), grad: T, lr: T, l1: T, l2: T, "
        "global_step: int64",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 3, 3>,
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
    .shape = DenseShape<true, 3, 3>,
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
    .shape = SparseShape<false, 3, 3>,
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
    .shape = SparseShape<true, 3, 3>,
    .doc = "SparseApplyAdagradDA for resource variables.",
};

}  // namespace millrace::ops
