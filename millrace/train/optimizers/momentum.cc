#include "millrace/train/optimizers/momentum.h"

#include "millrace/client/op_builder.h"

namespace millrace::train {
namespace {

constexpr char kMomentumSlot[] = "momentum";

}  // namespace

MomentumOptimizer::MomentumOptimizer(const Input& learning_rate,
                                     const Input& momentum,
                                     const MomentumOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      use_nesterov_(options.use_nesterov),
      learning_rate_(learning_rate, "learning_rate"),
      momentum_(momentum, "momentum") {}

void MomentumOptimizer::CreateState(
    const Scope& root, const std::vector<ops::Variable>& variables) {
  for (const ops::Variable& v : variables)
    ZerosSlot(root, v, kMomentumSlot, name());
}

void MomentumOptimizer::Prepare(const Scope& block) {
  learning_rate_.StartBlock(block);
  momentum_.StartBlock(block);
}

Operation MomentumOptimizer::ApplyDense(const Scope& scope,
                                        const Output& gradient,
                                        const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "Momentum"));
  apply.In(variable.handle()).In(Slot(variable, kMomentumSlot).handle());
  apply.In(learning_rate_.For(variable)).In(gradient);
  apply.In(momentum_.For(variable));
  return apply.Attr("use_locking", use_locking())
      .Attr("use_nesterov", use_nesterov_)
      .Finish();
}

Operation MomentumOptimizer::ApplyRows(const Scope& scope,
                                       const IndexedSlices& rows,
                                       const ops::Variable& variable) {
  OpBuilder apply(scope, SparseUpdateOp(variable, "Momentum"));
  apply.In(variable.handle()).In(Slot(variable, kMomentumSlot).handle());
  apply.In(learning_rate_.For(variable)).In(rows.values).In(rows.indices);
  apply.In(momentum_.For(variable));
  return apply.Attr("use_locking", use_locking())
      .Attr("use_nesterov", use_nesterov_)
      .Finish();
}

}  // namespace millrace::train
