// Batch normalization: values with the mean 0 and the variance 1 within a batch
// (Ioffe and Szegedy, "Batch normalization: accelerating deep network training
// by reducing internal covariate shift", ICML 2015).
//
//   Output y = BatchNormalization(variables, x, {.training = true});
//   auto train_op = optimizer.Minimize(scope.WithControlDependencies(
//       UpdateOps(scope)), loss);
#pragma once

#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

struct BatchNormalizationOptions {
  int axis = -1;           // of the channels; below 0 counts from the back
  double momentum = 0.99;  // of the moving averages
  double epsilon = 0.001;
  bool center = true;  // adds beta
  bool scale = true;   // multiplies by gamma
  // True: by the batch's mean and variance, and the moving averages follow it;
  // false: by the moving averages.
  bool training = false;
  bool trainable = true;
  // By one op where there is one: four dimensions, channels last.
  bool fused = true;
  Initializer beta_initializer;             // empty: Zeros
  Initializer gamma_initializer;            // empty: Ones
  Initializer moving_mean_initializer;      // empty: Zeros
  Initializer moving_variance_initializer;  // empty: Ones
  std::string name;                         // empty: "batch_normalization", ...
};

// x of any rank from 2, floating, with a known number of channels; the result
// has its shape. Variables, each [channels]: "batch_normalization/gamma",
// "beta", and, not trainable, "moving_mean", "moving_variance". In training the
// ops that move these are in graph_keys::kUpdateOps; they must run with each
// step. A fused variance that moves is that of a sample: n / (n - 1) larger.
Output BatchNormalization(const VariableScope& variables, const Output& x,
                          const BatchNormalizationOptions& options = {});

// The graph's collection of updates that a training step includes.
std::vector<ControlInput> UpdateOps(const Scope& scope);

}  // namespace millrace::train
