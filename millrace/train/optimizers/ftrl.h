// FTRL-Proximal: follows the regularized leader, which makes weights exactly
// zero (McMahan et al., "Ad click prediction: a view from the trenches", KDD
// 2013), with the shrinkage of its second version.
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct FtrlOptimizerOptions {
  double learning_rate_power = -0.5;       // <= 0
  double initial_accumulator_value = 0.1;  // >= 0
  double l1_regularization_strength = 0;   // >= 0
  double l2_regularization_strength = 0;   // >= 0, penalizes the weights
  double l2_shrinkage_regularization_strength = 0;  // >= 0, the updates
  bool use_locking = false;
  std::string name = "Ftrl";
  std::string accum_name;   // empty: the optimizer's
  std::string linear_name;  // empty: the optimizer's
};

// Slots: "accum" and "linear", called "w/Ftrl" and "w/Ftrl_1" after the
// optimizer's name unless the options name them. Values outside the ranges
// below are INVALID_ARGUMENT.
class FtrlOptimizer final : public Optimizer {
 public:
  explicit FtrlOptimizer(const Input& learning_rate,
                         const FtrlOptimizerOptions& options = {});

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
  Status Check() const;

  const FtrlOptimizerOptions options_;
  Hyperparameter learning_rate_;
  Hyperparameter l1_;
  Hyperparameter l2_;
  Hyperparameter l2_shrinkage_;
  Hyperparameter learning_rate_power_;
};

}  // namespace millrace::train
