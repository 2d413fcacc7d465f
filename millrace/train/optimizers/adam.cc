#include "millrace/train/optimizers/adam.h"

#include <algorithm>

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"

namespace millrace::train {

AdamOptimizer::AdamOptimizer(const Input& learning_rate,
                             const AdamOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      options_(options),
      learning_rate_(learning_rate, "learning_rate"),
      beta1_(options.beta1, "beta1"),
      beta2_(options.beta2, "beta2"),
      epsilon_(options.epsilon, "epsilon") {}

void AdamOptimizer::CreateState(const Scope& root,
                                const std::vector<ops::Variable>& variables) {
  // The choice is the same in every replica, whatever the order of its
  // gradients.
  if (!beta1_power_) {
    const ops::Variable& first =
        *std::min_element(variables.begin(), variables.end(),
                          [](const ops::Variable& a, const ops::Variable& b) {
                            return a.name() < b.name();
                          });
    beta1_power_ = OwnNumber(root, first, "beta1_power", options_.beta1);
    beta2_power_ = OwnNumber(root, first, "beta2_power", options_.beta2);
  }
  for (const ops::Variable& v : variables) {
    ZerosSlot(root, v, "m", name());
    ZerosSlot(root, v, "v", name());
  }
}

void AdamOptimizer::Prepare(const Scope& block) {
  for (Hyperparameter* h : {&learning_rate_, &beta1_, &beta2_, &epsilon_}) {
    h->StartBlock(block);
  }
}

Output AdamOptimizer::Power(const Scope& scope, const ops::Variable& power,
                            const ops::Variable& variable) const {
  if (power.dtype() == variable.dtype()) return power.value();
  return ops::Cast(scope, power.value(), variable.dtype());
}

Operation AdamOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "Adam"));
  apply.In(variable.handle());
  apply.In(Slot(variable, "m").handle()).In(Slot(variable, "v").handle());
  apply.In(Power(scope, beta1_power_, variable));
  apply.In(Power(scope, beta2_power_, variable));
  apply.In(learning_rate_.For(variable));
  apply.In(beta1_.For(variable)).In(beta2_.For(variable));
  apply.In(epsilon_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation AdamOptimizer::ApplyRows(const Scope& scope,
                                   const IndexedSlices& rows,
                                   const ops::Variable& variable) {
  const ops::Variable m = Slot(variable, "m");
  const ops::Variable v = Slot(variable, "v");
  const Output beta1 = beta1_.For(variable);
  const Output beta2 = beta2_.For(variable);
  const Output one = ops::Const(scope, 1, variable.dtype());
  // Decays the whole slot, then adds the values of the rows.
  const auto decay_and_add = [&](const ops::Variable& slot, const Output& beta,
                                 const Output& values) {
    const Output decayed =
        slot.Assign(scope, ops::Mul(scope, slot.Read(scope), beta),
                    {.use_locking = use_locking()});
    IndexedSlices part = rows;
    part.values = ops::Mul(scope, values, ops::Sub(scope, one, beta));
    const Operation added =
        slot.ScatterAdd(scope.WithControlDependencies({decayed}), part);
    return slot.Read(scope.WithControlDependencies({added}));
  };
  const Output m_now = decay_and_add(m, beta1, rows.values);
  const Output v_now =
      decay_and_add(v, beta2, ops::Mul(scope, rows.values, rows.values));
  const Output correction = ops::RealDiv(
      scope,
      ops::Sqrt(scope,
                ops::Sub(scope, one, Power(scope, beta2_power_, variable))),
      ops::Sub(scope, one, Power(scope, beta1_power_, variable)));
  const Output rate = ops::Mul(scope, learning_rate_.For(variable), correction);
  const Output delta = ops::RealDiv(
      scope, ops::Mul(scope, rate, m_now),
      ops::AddV2(scope, ops::Sqrt(scope, v_now), epsilon_.For(variable)));
  return variable.AssignSub(scope, delta, {.use_locking = use_locking()}).op();
}

std::vector<Operation> AdamOptimizer::Finish(
    const Scope& scope, const std::vector<Operation>& updates) {
  const Scope after = scope.WithControlDependencies(
      std::vector<ControlInput>(updates.begin(), updates.end()));
  std::vector<Operation> raised;
  for (auto [power, beta] :
       {std::pair(&beta1_power_, &beta1_), std::pair(&beta2_power_, &beta2_)}) {
    const Scope beside = after.ColocateWith(power->handle());
    const Output next = ops::Mul(beside, power->value(), beta->For(*power));
    raised.push_back(
        power->Assign(beside, next, {.use_locking = use_locking()}).op());
  }
  return raised;
}

}  // namespace millrace::train
