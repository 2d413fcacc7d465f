// Batch normalization: normalizes values to mean 0 and variance 1 within a
// batch (Ioffe and Szegedy, "Batch normalization: accelerating deep network
// training by reducing internal covariate shift", ICML 2015).
//
//   Output y = BatchNormalization(variables, x, {.training = true});
//   Operation train_op = optimizer.Minimize(
//       scope.WithControlDependencies(UpdateOps(scope)), loss);
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
  // True: normalizes by the batch's mean and variance, and updates the moving
  // averages with them; false: normalizes by the moving averages.
  bool training = false;
  bool trainable = true;
  // Whether to use one fused op if possible: four dimensions, channels last.
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
// ops that update these are in graph_keys::kUpdateOps; they must run with each
// step. The moving variance of the fused op is the sample variance: larger by n
// / (n - 1).
Output BatchNormalization(const VariableScope& variables, const Output& x,
                          const BatchNormalizationOptions& options = {});

// Returns the graph's collection of updates that a training step must include.
std::vector<ControlInput> UpdateOps(const Scope& scope);

}  // namespace millrace::train
