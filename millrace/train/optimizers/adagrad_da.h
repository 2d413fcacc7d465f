// Adagrad with dual averaging: computes weights from the sums of all gradients
// and their squares, which keeps weights that l1 makes zero at zero (Duchi,
// Hazan, Singer, "Adaptive subgradient methods for online learning and
// stochastic optimization", JMLR 2011).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct AdagradDAOptimizerOptions {
  double initial_gradient_squared_accumulator_value = 0.1;
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  bool use_locking = false;
  std::string name = "AdagradDA";
};

// Slots: "gradient_accumulator" and "gradient_squared_accumulator", called
// "w/AdagradDA" and "w/AdagradDA_1" after the optimizer's name. An initial
// value that is not positive is INVALID_ARGUMENT.
class AdagradDAOptimizer final : public Optimizer {
 public:
  // `global_step` counts the updates so far, and must be incremented by each.
  AdagradDAOptimizer(const Input& learning_rate,
                     const ops::Variable& global_step,
                     const AdagradDAOptimizerOptions& options = {});

 private:
  void CreateState(const Scope& root,
                   const std::vector<ops::Variable>& variables) override;
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;
  // `indices` are those of the gradient's rows; null: the gradient is dense.
  Operation Apply(const Scope& scope, const Output& gradient,
                  const Output* indices, const ops::Variable& variable);

  const ops::Variable global_step_;
  const double initial_value_;
  Hyperparameter learning_rate_;
  Hyperparameter l1_;
  Hyperparameter l2_;
  Output step_;  // the number of this update
};

}  // namespace millrace::train
