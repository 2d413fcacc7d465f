// Proximal Adagrad: a step of Adagrad, then a proximal step for the l1 and l2
// norms (Duchi and Singer, "Efficient online and batch learning using forward
// backward splitting", JMLR 2009).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct ProximalAdagradOptimizerOptions {
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  bool use_locking = false;
  std::string name = "ProximalAdagrad";
};

// Slot: "accumulator", called "w/ProximalAdagrad" after the optimizer's name.
// An initial value that is not positive is INVALID_ARGUMENT.
class ProximalAdagradOptimizer final : public Optimizer {
 public:
  explicit ProximalAdagradOptimizer(
      const Input& learning_rate,
      const ProximalAdagradOptimizerOptions& options = {});

 private:
  void CreateState(const Scope& root,
                   const std::vector<ops::Variable>& variables) override;
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;

  const double initial_accumulator_value_;
  Hyperparameter learning_rate_;
  Hyperparameter l1_;
  Hyperparameter l2_;
};

}  // namespace millrace::train
