#include "millrace/ops/train/optimizer_shape.op.h"

namespace millrace::ops {

MR_OP(ApplyGradientDescent){
    .inputs = "var: Ref(T), alpha: T, delta: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = OptimizerShape,
    .doc = "var -= alpha * delta.",
};

MR_OP(ResourceApplyGradientDescent){
    .inputs = "var: resource, alpha: T, delta: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = OptimizerShape,
    .doc = "var -= alpha * delta.",
};

}  // namespace millrace::ops
