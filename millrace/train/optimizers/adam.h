// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", ICLR
// 2015).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct AdamOptimizerOptions {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  bool use_locking = false;
  std::string name = "Adam";
};

// Slots: "m" and "v", called "w/Adam" and "w/Adam_1" after the optimizer's
// name. The powers of both betas, "beta1_power" and "beta2_power", are floats
// colocated with the variable whose name sorts first. Rows without a gradient
// change too, as their m decays.
class AdamOptimizer final : public Optimizer {
 public:
  explicit AdamOptimizer(const Input& learning_rate,
                         const AdamOptimizerOptions& options = {});

 private:
  void CreateState(const Scope& root,
                   const std::vector<ops::Variable>& variables) override;
  void Prepare(const Scope& block) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override;
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override;
  std::vector<Operation> Finish(const Scope& scope,
                                const std::vector<Operation>& updates) override;
  // Returns a power as an input of the update of `variable`.
  Output Power(const Scope& scope, const ops::Variable& power,
               const ops::Variable& variable) const;

  const AdamOptimizerOptions options_;
  Hyperparameter learning_rate_;
  Hyperparameter beta1_;
  Hyperparameter beta2_;
  Hyperparameter epsilon_;
  ops::Variable beta1_power_;
  ops::Variable beta2_power_;
};

}  // namespace millrace::train
