#include "millrace/train/optimizers/rms_prop.h"

#include "absl/strings/str_cat.h"
#include "millrace/client/op_builder.h"

namespace millrace::train {

RMSPropOptimizer::RMSPropOptimizer(const Input& learning_rate,
                                   const RMSPropOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      centered_(options.centered),
      learning_rate_(learning_rate, "learning_rate"),
      decay_(options.decay, "decay"),
      momentum_(options.momentum, "momentum"),
      epsilon_(options.epsilon, "epsilon") {}

void RMSPropOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  for (const ops::Variable& v : variables) {
    FilledSlot(root, v, "rms", name(), 1);
    if (centered_) ZerosSlot(root, v, "mg", name());
    ZerosSlot(root, v, "momentum", name());
  }
}

void RMSPropOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &decay_, &momentum_, &epsilon_}) {
    h->StartBlock(block);
  }
}

Operation RMSPropOptimizer::Apply(const Scope& scope, const Output& gradient,
                                  const Output* indices,
                                  const ops::Variable& variable) {
  const char* const rule = centered_ ? "CenteredRMSProp" : "RMSProp";
  OpBuilder apply(scope, indices ? SparseUpdateOp(variable, rule)
                                 : DenseUpdateOp(variable, rule));
  apply.In(variable.handle());
  if (centered_) apply.In(Slot(variable, "mg").handle());
  apply.In(Slot(variable, "rms").handle());
  apply.In(Slot(variable, "momentum").handle());
  apply.In(learning_rate_.For(variable)).In(decay_.For(variable));
  apply.In(momentum_.For(variable)).In(epsilon_.For(variable));
  apply.In(gradient);
  if (indices) apply.In(*indices);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation RMSPropOptimizer::ApplyDense(const Scope& scope,
                                       const Output& gradient,
                                       const ops::Variable& variable) {
  return Apply(scope, gradient, nullptr, variable);
}

Operation RMSPropOptimizer::ApplyRows(const Scope& scope,
                                      const IndexedSlices& rows,
                                      const ops::Variable& variable) {
  return Apply(scope, rows.values, &rows.indices, variable);
}

}  // namespace millrace::train
