#include "millrace/train/optimizers/adagrad_da.h"

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

constexpr char kGradient[] = "gradient_accumulator";
constexpr char kSquared[] = "gradient_squared_accumulator";

}  // namespace

AdagradDAOptimizer::AdagradDAOptimizer(const Input& learning_rate,
                                       const ops::Variable& global_step,
                                       const AdagradDAOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      global_step_(global_step),
      initial_value_(options.initial_gradient_squared_accumulator_value),
      learning_rate_(learning_rate, "learning_rate"),
      l1_(options.l1_regularization_strength, "l1_regularization_strength"),
      l2_(options.l2_regularization_strength, "l2_regularization_strength") {}

void AdagradDAOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  if (!(initial_value_ > 0)) {
    root.Fail(
        InvalidArgument(
            "initial_gradient_squared_accumulator_value must be positive: ",
            initial_value_),
        name());
    return;
  }
  if (!global_step_) {
    root.Fail(InvalidArgument("AdagradDA needs a global step"), name());
    return;
  }
  for (const ops::Variable& v : variables) {
    ZerosSlot(root, v, kGradient, name());
    FilledSlot(root, v, kSquared, name(), initial_value_);
  }
}

void AdagradDAOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &l1_, &l2_}) h->StartBlock(block);
  if (!global_step_) return;
  // Computed once, on the worker, so that the parameter server of the step is
  // read once.
  Output before = global_step_.value();
  if (before.dtype() != DataType::kInt64) {
    before = ops::Cast(block, before, DataType::kInt64);
  }
  step_ = ops::AddV2(block, before, 1);
}

Operation AdagradDAOptimizer::Apply(const Scope& scope, const Output& gradient,
                                    const Output* indices,
                                    const ops::Variable& variable) {
  OpBuilder apply(scope, indices ? SparseUpdateOp(variable, "AdagradDA")
                                 : DenseUpdateOp(variable, "AdagradDA"));
  apply.In(variable.handle()).In(Slot(variable, kGradient).handle());
  apply.In(Slot(variable, kSquared).handle()).In(gradient);
  if (indices) apply.In(*indices);
  apply.In(learning_rate_.For(variable)).In(l1_.For(variable));
  apply.In(l2_.For(variable)).In(step_);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation AdagradDAOptimizer::ApplyDense(const Scope& scope,
                                         const Output& gradient,
                                         const ops::Variable& variable) {
  return Apply(scope, gradient, nullptr, variable);
}

Operation AdagradDAOptimizer::ApplyRows(const Scope& scope,
                                        const IndexedSlices& rows,
                                        const ops::Variable& variable) {
  return Apply(scope, rows.values, &rows.indices, variable);
}

}  // namespace millrace::train
