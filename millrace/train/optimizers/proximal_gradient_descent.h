// Proximal gradient descent: a step of gradient descent, then a proximal step
// for the l1 and l2 norms (Duchi and Singer, "Efficient online and batch
// learning using forward backward splitting", JMLR 2009).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

// Has no slots.
class ProximalGradientDescentOptimizer final : public Optimizer {
 public:
  struct Options {
    double l1_regularization_strength = 0;
    double l2_regularization_strength = 0;
    MR_OPTIMIZER_OPTIONS("ProximalGradientDescent");
  };
  ProximalGradientDescentOptimizer(const Input& learning_rate,
                                   const Options& options);
  explicit ProximalGradientDescentOptimizer(const Input& learning_rate)
      : ProximalGradientDescentOptimizer(learning_rate, Options()) {}

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
