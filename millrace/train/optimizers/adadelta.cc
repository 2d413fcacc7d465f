#include "millrace/train/optimizers/adadelta.h"

#include "millrace/client/op_builder.h"

namespace millrace::train {

AdadeltaOptimizer::AdadeltaOptimizer(const Input& learning_rate,
                                     const AdadeltaOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      learning_rate_(learning_rate, "lr"),
      rho_(options.rho, "rho"),
      epsilon_(options.epsilon, "epsilon") {}

void AdadeltaOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  for (const ops::Variable& v : variables) {
    ZerosSlot(root, v, "accum", name());
    ZerosSlot(root, v, "accum_update", name());
  }
}

void AdadeltaOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &rho_, &epsilon_}) {
    h->StartBlock(block);
  }
}

Operation AdadeltaOptimizer::ApplyDense(const Scope& scope,
                                        const Output& gradient,
                                        const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "Adadelta"));
  apply.In(variable.handle()).In(Slot(variable, "accum").handle());
  apply.In(Slot(variable, "accum_update").handle());
  apply.In(learning_rate_.For(variable)).In(rho_.For(variable));
  apply.In(epsilon_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation AdadeltaOptimizer::ApplyRows(const Scope& scope,
                                       const IndexedSlices& rows,
                                       const ops::Variable& variable) {
  OpBuilder apply(scope, SparseUpdateOp(variable, "Adadelta"));
  apply.In(variable.handle()).In(Slot(variable, "accum").handle());
  apply.In(Slot(variable, "accum_update").handle());
  apply.In(learning_rate_.For(variable)).In(rho_.For(variable));
  apply.In(epsilon_.For(variable)).In(rows.values).In(rows.indices);
  return apply.Attr("use_locking", use_locking()).Finish();
}

}  // namespace millrace::train
