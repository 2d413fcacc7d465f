#include "millrace/train/optimizers/ftrl.h"

#include "absl/strings/str_cat.h"
#include "millrace/client/op_builder.h"

namespace millrace::train {

FtrlOptimizer::FtrlOptimizer(const Input& learning_rate,
                             const FtrlOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      options_(options),
      learning_rate_(learning_rate, "learning_rate"),
      l1_(options.l1_regularization_strength, "l1_regularization_strength"),
      l2_(options.l2_regularization_strength, "l2_regularization_strength"),
      l2_shrinkage_(options.l2_shrinkage_regularization_strength,
                    "l2_shrinkage_regularization_strength"),
      learning_rate_power_(options.learning_rate_power, "learning_rate_power") {
}

Status FtrlOptimizer::Check() const {
  if (!(options_.initial_accumulator_value >= 0)) {
    return InvalidArgument(
        "initial_accumulator_value needs to be positive or zero, got ",
        options_.initial_accumulator_value);
  }
  if (!(options_.learning_rate_power <= 0)) {
    return InvalidArgument(
        "learning_rate_power needs to be negative or zero, got ",
        options_.learning_rate_power);
  }
  if (!(options_.l1_regularization_strength >= 0 &&
        options_.l2_regularization_strength >= 0 &&
        options_.l2_shrinkage_regularization_strength >= 0)) {
    return InvalidArgument(
        "regularization strengths need to be positive or zero, got l1 ",
        options_.l1_regularization_strength, ", l2 ",
        options_.l2_regularization_strength, ", l2 shrinkage ",
        options_.l2_shrinkage_regularization_strength);
  }
  return OkStatus();
}

void FtrlOptimizer::CreateState(const Scope& root,
                                const std::vector<ops::Variable>& variables) {
  const Status valid = Check();
  if (!valid.ok()) {
    root.Fail(valid, name());
    return;
  }
  const auto or_own = [&](const std::string& given) {
    return given.empty() ? name() : given;
  };
  for (const ops::Variable& v : variables) {
    FilledSlot(root, v, "accum", or_own(options_.accum_name),
               options_.initial_accumulator_value);
    ZerosSlot(root, v, "linear", or_own(options_.linear_name));
  }
}

void FtrlOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h :
       {&learning_rate_, &l1_, &l2_, &l2_shrinkage_, &learning_rate_power_}) {
    h->StartBlock(block);
  }
}

Operation FtrlOptimizer::Apply(const Scope& scope, const Output& gradient,
                               const Output* indices,
                               const ops::Variable& variable) {
  const bool shrinks = options_.l2_shrinkage_regularization_strength > 0;
  OpBuilder apply(
      scope, indices ? SparseUpdateOp(variable, shrinks ? "FtrlV2" : "Ftrl")
                     : DenseUpdateOp(variable, shrinks ? "FtrlV2" : "Ftrl"));
  apply.In(variable.handle()).In(Slot(variable, "accum").handle());
  apply.In(Slot(variable, "linear").handle()).In(gradient);
  if (indices) apply.In(*indices);
  apply.In(learning_rate_.For(variable)).In(l1_.For(variable));
  apply.In(l2_.For(variable));
  if (shrinks) apply.In(l2_shrinkage_.For(variable));
  apply.In(learning_rate_power_.For(variable));
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation FtrlOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const ops::Variable& variable) {
  return Apply(scope, gradient, nullptr, variable);
}

Operation FtrlOptimizer::ApplyRows(const Scope& scope,
                                   const IndexedSlices& rows,
                                   const ops::Variable& variable) {
  return Apply(scope, rows.values, &rows.indices, variable);
}

}  // namespace millrace::train
