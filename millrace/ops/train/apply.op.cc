#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/train/apply_shapes.op.h"

namespace millrace::ops {
namespace {

// Shape of a variable input, a reference or a handle.
PartialShape VariableShapeOf(ShapeContext& c, int i, bool resource) {
  if (!resource) return c.input(i);
  return c.input_handles(i).empty() ? PartialShape()
                                    : c.input_handles(i)[0].shape;
}

}  // namespace

Status ApplyShape(ShapeContext& c, bool resource, int variables, int grad,
                  bool sparse) {
  PartialShape shape = VariableShapeOf(c, 0, resource);
  for (int i = 1; i < variables; ++i) {
    MR_ASSIGN(shape, ShapeContext::MergeShapes(
                         shape, VariableShapeOf(c, i, resource)));
  }
  if (sparse) {
    MR_ASSIGN(const PartialShape rows, c.WithRankAtLeast(grad, 1));
    MR_ASSIGN(const PartialShape indices, c.WithRank(grad + 1, 1));
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(Subshape(rows, 0, 1), indices).status());
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(Subshape(rows, 1), Subshape(shape, 1))
            .status());
  } else {
    MR_ASSIGN(shape, ShapeContext::MergeShapes(shape, c.input(grad)));
  }
  for (int i = variables; i < c.num_inputs(); ++i) {
    if (i == grad || (sparse && i == grad + 1)) continue;
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  if (c.num_outputs() > 0) c.set_output(0, std::move(shape));
  return OkStatus();
}

MR_OP(ApplyGradientDescent){
    .inputs = "var: Ref(T), alpha: T, delta: T",
    .outputs = "out: Ref(T)",
    .attrs = "T: numbertype; use_locking: bool = false",
    .shape = DenseShape<false, 1, 2>,
    .doc = "var -= alpha * delta.",
};

MR_OP(ResourceApplyGradientDescent){
    .inputs = "var: resource, alpha: T, delta: T",
    .attrs = "T: numbertype; use_locking: bool = false",
    .flags = kStateful,
    .shape = DenseShape<true, 1, 2>,
    .doc = "var -= alpha * delta.",
};

#define MR_NESTEROV_ATTRS \
  "T: numbertype; use_locking: bool = false; use_nesterov: bool = false"

MR_OP(ApplyMomentum){
    .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T",
    .outputs = "out: Ref(T)",
    .attrs = MR_NESTEROV_ATTRS,
    .shape = DenseShape<false, 2, 3>,
    .doc =
        "accum = accum * momentum + grad; var -= lr * accum. With Nesterov: "
        "var -= grad * lr + accum * momentum * lr.",
};

MR_OP(ResourceApplyMomentum){
    .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
    .attrs = MR_NESTEROV_ATTRS,
    .flags = kStateful,
    .shape = DenseShape<true, 2, 3>,
    .doc = "ApplyMomentum for resource variables.",
};

#define MR_ADAM_SCALARS                                                  \
  "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: " \
  "T, grad: T"

MR_OP(ApplyAdam){
    .inputs = "var: Ref(T), m: Ref(T), v: Ref(T), " MR_ADAM_SCALARS,
    .outputs = "out: Ref(T)",
    .attrs = MR_NESTEROV_ATTRS,
    .shape = DenseShape<false, 3, 9>,
    .doc =
        "Adam (Kingma and Ba, 2014) with the bias correction in the rate: "
        "lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power); m += (1 - "
        "beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); var -= lr_t "
        "* m / (sqrt(v) + epsilon).",
};

MR_OP(ResourceApplyAdam){
    .inputs = "var: resource, m: resource, v: resource, " MR_ADAM_SCALARS,
    .attrs = MR_NESTEROV_ATTRS,
    .flags = kStateful,
    .shape = DenseShape<true, 3, 9>,
    .doc = "ApplyAdam for resource variables.",
};

}  // namespace millrace::ops
