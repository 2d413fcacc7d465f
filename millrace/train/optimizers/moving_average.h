// ExponentialMovingAverage: averages of variables or tensors over the steps, in
// which recent values weigh most.
//
//   ExponentialMovingAverage ema(0.999, {.num_updates = step});
//   Operation averages = ema.Apply(scope.WithControlDependencies({train_op}));
//   Saver test(scope, {.variables = ema.VariablesToRestore(scope)});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

struct AssignMovingAverageOptions {
  bool zero_debias = false;
};
// variable = decay * variable + (1 - decay) * value, on the variable's device;
// returns the new value. With `zero_debias` the bias of the initial zeros is
// removed, which creates further variables "variable/biased" and
// "variable/local_step" (Kingma and Ba, "Adam: a method for stochastic
// optimization", section 3).
Output AssignMovingAverage(const Scope& scope, const ops::Variable& variable,
                           const Output& value, const Input& decay,
                           const AssignMovingAverageOptions& options = {});

struct ExponentialMovingAverageOptions {
  // If set, the decay is min(decay, (1 + n) / (10 + n)).
  Output num_updates;
  bool zero_debias = false;  // of tensors
  std::string name = "ExponentialMovingAverage";
};

// The average of "w" is the variable "w/ExponentialMovingAverage", colocated
// with "w", not trainable, with w's initial value (zeros for a tensor). Errors
// are recorded in the graph. Used for one graph. Not thread-safe.
class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(
      const Input& decay, const ExponentialMovingAverageOptions& options = {});

  // Returns the op that updates the averages, which are created at the first
  // call for a variable: of all trainable variables, or of those given, or of
  // tensors. Variables are also added to graph_keys::kMovingAverageVariables.
  Operation Apply(const Scope& scope);
  Operation Apply(const Scope& scope,
                  const std::vector<ops::Variable>& variables);
  Operation ApplyToTensors(const Scope& scope,
                           const std::vector<Output>& tensors);

  // Returns null if there is none.
  ops::Variable Average(const ops::Variable& variable) const;
  ops::Variable AverageOf(const Output& tensor) const;
  std::string AverageName(const ops::Variable& variable) const;

  // Returns all global variables, by the names in the checkpoint of the values
  // to restore: those of `averaged` (default: the trainable ones and those of
  // the collection) by their averages' names, others by their own. For a part
  // of a partitioned variable that is "w/part_0/ExponentialMovingAverage",
  // which a Saver takes for the part of "w/ExponentialMovingAverage".
  std::map<std::string, ops::Variable> VariablesToRestore(
      const Scope& scope) const;
  std::map<std::string, ops::Variable> VariablesToRestore(
      const Scope& scope, const std::vector<ops::Variable>& averaged) const;

 private:
  Output Decay(const Scope& block) const;
  ops::Variable MakeAverage(const Scope& scope, const ops::Variable& variable);
  ops::Variable MakeAverage(const Scope& scope, const Output& tensor);

  const Input decay_;
  const ExponentialMovingAverageOptions options_;
  absl::flat_hash_map<Output, ops::Variable> averages_;  // by handle or tensor
};

}  // namespace millrace::train
