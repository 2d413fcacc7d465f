#include "millrace/train/optimizers/proximal_adagrad.h"

#include "millrace/client/op_builder.h"

namespace millrace::train {
namespace {

constexpr char kProximalSlot[] = "accumulator";

}  // namespace

ProximalAdagradOptimizer::ProximalAdagradOptimizer(
    const Input& learning_rate, const ProximalAdagradOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      initial_accumulator_value_(options.initial_accumulator_value),
      learning_rate_(learning_rate, "learning_rate"),
      l1_(options.l1_regularization_strength, "l1_regularization_strength"),
      l2_(options.l2_regularization_strength, "l2_regularization_strength") {}

void ProximalAdagradOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  if (!(initial_accumulator_value_ > 0)) {
    root.Fail(InvalidArgument("initial_accumulator_value must be positive: ",
                              initial_accumulator_value_),
              name());
    return;
  }
  for (const ops::Variable& v : variables) {
    FilledSlot(root, v, kProximalSlot, name(), initial_accumulator_value_);
  }
}

void ProximalAdagradOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &l1_, &l2_}) h->StartBlock(block);
}

Operation ProximalAdagradOptimizer::ApplyDense(const Scope& scope,
                                               const Output& gradient,
                                               const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "ProximalAdagrad"));
  apply.In(variable.handle()).In(Slot(variable, kProximalSlot).handle());
  apply.In(learning_rate_.For(variable)).In(l1_.For(variable));
  apply.In(l2_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation ProximalAdagradOptimizer::ApplyRows(const Scope& scope,
                                              const IndexedSlices& rows,
                                              const ops::Variable& variable) {
  OpBuilder apply(scope, SparseUpdateOp(variable, "ProximalAdagrad"));
  apply.In(variable.handle()).In(Slot(variable, kProximalSlot).handle());
  apply.In(learning_rate_.For(variable)).In(l1_.For(variable));
  apply.In(l2_.For(variable)).In(rows.values).In(rows.indices);
  return apply.Attr("use_locking", use_locking()).Finish();
}

}  // namespace millrace::train
