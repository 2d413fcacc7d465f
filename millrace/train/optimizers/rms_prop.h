// RMSProp: divides gradients by the root of their recent mean square (Tieleman
// and Hinton, "Lecture 6.5 - rmsprop", 2012); centered: by their recent
// standard deviation (Graves, "Generating sequences with recurrent neural
// networks", arXiv:1308.0850).
#pragma once

#include "millrace/train/optimizers/hyperparameter.h"
#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct RMSPropOptimizerOptions {
  Input decay = 0.9;
  Input momentum = 0.0;
  Input epsilon = 1e-10;
  bool centered = false;
  bool use_locking = false;
  std::string name = "RMSProp";
};

// Slots: "rms" (initially ones), "mg" if centered, "momentum"; called
// "w/RMSProp", "w/RMSProp_1" ... after the optimizer's name.
class RMSPropOptimizer final : public Optimizer {
 public:
  explicit RMSPropOptimizer(const Input& learning_rate,
                            const RMSPropOptimizerOptions& options = {});

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

  const bool centered_;
  Hyperparameter learning_rate_;
  Hyperparameter decay_;
  Hyperparameter momentum_;
  Hyperparameter epsilon_;
};

}  // namespace millrace::train
