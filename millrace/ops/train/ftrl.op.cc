#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyFtrl){
    .inputs =
        "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, "
        "l2: T, lr_power: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool "
        "= false",
    .shape = OptimizerShape,
    .doc = "Follow the regularized leader (McMahan et al., 2013).",
};

MR_OP(ResourceApplyFtrl){
    .inputs =
        "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: "
        "T, l2: T, lr_power: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool "
        "= false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyFtrl for resource variables.",
};

MR_OP(SparseApplyFtrl){
    .inputs =
        "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: "
        "Tindices, lr: T, l1: T, l2: T, lr_power: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "multiply_linear_by_lr: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyFtrl on the rows that indices name.",
};

MR_OP(ResourceSparseApplyFtrl){
    .inputs =
        "var: resource, accum: resource, linear: resource, grad: T, indices: "
        "Tindices, lr: T, l1: T, l2: T, lr_power: T",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "multiply_linear_by_lr: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyFtrl for resource variables.",
};

MR_OP(ApplyFtrlV2){
    .inputs =
        "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, "
        "l2: T, l2_shrinkage: T, lr_power: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool "
        "= false",
    .shape = OptimizerShape,
    .doc = "Ftrl whose linear term also takes 2 * l2_shrinkage * var.",
};

MR_OP(ResourceApplyFtrlV2){
    .inputs =
        "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: "
        "T, l2: T, l2_shrinkage: T, lr_power: T",
    .attrs =
        "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool "
        "= false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "ApplyFtrlV2 for resource variables.",
};

MR_OP(SparseApplyFtrlV2){
    .inputs =
        "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: "
        "Tindices, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
    .outputs = "out: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "multiply_linear_by_lr: bool = false",
    .shape = OptimizerShape,
    .doc = "ApplyFtrlV2 on the rows that indices name.",
};

MR_OP(ResourceSparseApplyFtrlV2){
    .inputs =
        "var: resource, accum: resource, linear: resource, grad: T, indices: "
        "Tindices, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; "
        "multiply_linear_by_lr: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "SparseApplyFtrlV2 for resource variables.",
};

}  // namespace millrace::ops
