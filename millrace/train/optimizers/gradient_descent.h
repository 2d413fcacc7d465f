// Gradient descent: variable -= learning_rate * gradient.
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct GradientDescentOptimizerOptions {
  bool use_locking = false;
  std::string name = "GradientDescent";
};

class GradientDescentOptimizer final : public Optimizer {
 public:
  explicit GradientDescentOptimizer(
      const Input& learning_rate,
      const GradientDescentOptimizerOptions& options = {});

 private:
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;
  bool NeedsDistinctRows() const override { return false; }

  Hyperparameter learning_rate_;
};

}  // namespace millrace::train
