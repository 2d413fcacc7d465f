// Proximal gradient descent: a step of gradient descent, then a proximal step
// for the l1 and l2 norms (Duchi and Singer, "Efficient online and batch
// learning using forward backward splitting", JMLR 2009).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct ProximalGradientDescentOptimizerOptions {
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  bool use_locking = false;
  std::string name = "ProximalGradientDescent";
};

// Has no slots.
class ProximalGradientDescentOptimizer final : public Optimizer {
 public:
  explicit ProximalGradientDescentOptimizer(
      const Input& learning_rate,
      const ProximalGradientDescentOptimizerOptions& options = {});

 private:
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;

  Hyperparameter learning_rate_;
  Hyperparameter l1_;
  Hyperparameter l2_;
};

}  // namespace millrace::train
