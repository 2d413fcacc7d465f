// Adagrad: accumulator += gradient^2;
// variable -= learning_rate * gradient / sqrt(accumulator) (Duchi, Hazan,
// Singer, "Adaptive subgradient methods for online learning and stochastic
// optimization", JMLR 2011).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct AdagradOptimizerOptions {
  double initial_accumulator_value = 0.1;
  bool use_locking = false;
  std::string name = "Adagrad";
};

// Slot: "accumulator", called "w/Adagrad" after the optimizer's name. An
// initial value that is not positive is INVALID_ARGUMENT.
class AdagradOptimizer final : public Optimizer {
 public:
  explicit AdagradOptimizer(const Input& learning_rate,
                            const AdagradOptimizerOptions& options = {});

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
};

}  // namespace millrace::train
