// Adadelta: scales gradients by the ratio of the root mean squares of recent
// updates and recent gradients (Zeiler, "ADADELTA: an adaptive learning rate
// method", arXiv:1212.5701).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct AdadeltaOptimizerOptions {
  Input rho = 0.95;
  Input epsilon = 1e-8;
  bool use_locking = false;
  std::string name = "Adadelta";
};

// Slots: "accum" and "accum_update", called "w/Adadelta" and "w/Adadelta_1"
// after the optimizer's name.
class AdadeltaOptimizer final : public Optimizer {
 public:
  explicit AdadeltaOptimizer(const Input& learning_rate,
                             const AdadeltaOptimizerOptions& options = {});

 private:
  void CreateState(const Scope& root,
                   const std::vector<ops::Variable>& variables) override;
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;

  Hyperparameter learning_rate_;
  Hyperparameter rho_;
  Hyperparameter epsilon_;
};

}  // namespace millrace::train
