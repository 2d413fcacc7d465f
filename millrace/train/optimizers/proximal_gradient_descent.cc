#include "millrace/train/optimizers/proximal_gradient_descent.h"

#include "millrace/client/op_builder.h"

namespace millrace::train {

ProximalGradientDescentOptimizer::ProximalGradientDescentOptimizer(
    const Input& learning_rate,
    const ProximalGradientDescentOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      learning_rate_(learning_rate, "learning_rate"),
      l1_(options.l1_regularization_strength, "l1_regularization_strength"),
      l2_(options.l2_regularization_strength, "l2_regularization_strength") {}

void ProximalGradientDescentOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &l1_, &l2_}) h->StartBlock(block);
}

Operation ProximalGradientDescentOptimizer::ApplyDense(
    const Scope& scope, const Output& gradient, const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "ProximalGradientDescent"));
  apply.In(variable.handle()).In(learning_rate_.For(variable));
  apply.In(l1_.For(variable)).In(l2_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation ProximalGradientDescentOptimizer::ApplyRows(
    const Scope& scope, const IndexedSlices& rows,
    const ops::Variable& variable) {
  OpBuilder apply(scope, SparseUpdateOp(variable, "ProximalGradientDescent"));
  apply.In(variable.handle()).In(learning_rate_.For(variable));
  apply.In(l1_.For(variable)).In(l2_.For(variable));
  apply.In(rows.values).In(rows.indices);
  return apply.Attr("use_locking", use_locking()).Finish();
}

}  // namespace millrace::train
