// Momentum: accumulation = momentum * accumulation + gradient; variable -=
// learning_rate * accumulation. Nesterov's variant looks ahead (Sutskever et
// al., "On the importance of initialization and momentum in deep learning",
// ICML 2013).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct MomentumOptimizerOptions {
  bool use_nesterov = false;
  bool use_locking = false;
  std::string name = "Momentum";
};

// Slot: "momentum", called "w/Momentum" after the optimizer's name.
class MomentumOptimizer final : public Optimizer {
 public:
  MomentumOptimizer(const Input& learning_rate, const Input& momentum,
                    const MomentumOptimizerOptions& options = {});

 private:
  void CreateState(const Scope& root,
                   const std::vector<ops::Variable>& variables) override;
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;

  const bool use_nesterov_;
  Hyperparameter learning_rate_;
  Hyperparameter momentum_;
};

}  // namespace millrace::train
