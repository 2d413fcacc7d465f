#include "millrace/train/optimizers/adagrad.h"

#include "millrace/client/op_builder.h"

namespace millrace::train {
namespace {

constexpr char kAdagradSlot[] = "accumulator";

}  // namespace

AdagradOptimizer::AdagradOptimizer(const Input& learning_rate,
                                   const AdagradOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      initial_accumulator_value_(options.initial_accumulator_value),
      learning_rate_(learning_rate, "learning_rate") {}

void AdagradOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  if (!(initial_accumulator_value_ > 0)) {
    root.Fail(InvalidArgument("initial_accumulator_value must be positive: ",
                              initial_accumulator_value_),
              name());
    return;
  }
  for (const ops::Variable& v : variables) {
    FilledSlot(root, v, kAdagradSlot, name(), initial_accumulator_value_);
  }
}

void AdagradOptimizer::Prepare(const Scope& block) {
  learning_rate_.StartBlock(block);
}

Operation AdagradOptimizer::ApplyDense(const Scope& scope,
                                       const Output& gradient,
                                       const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "Adagrad"));
  apply.In(variable.handle()).In(Slot(variable, kAdagradSlot).handle());
  apply.In(learning_rate_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation AdagradOptimizer::ApplyRows(const Scope& scope,
                                      const IndexedSlices& rows,
                                      const ops::Variable& variable) {
  OpBuilder apply(scope, SparseUpdateOp(variable, "Adagrad"));
  apply.In(variable.handle()).In(Slot(variable, kAdagradSlot).handle());
  apply.In(learning_rate_.For(variable)).In(rows.values).In(rows.indices);
  return apply.Attr("use_locking", use_locking()).Finish();
}

}  // namespace millrace::train
