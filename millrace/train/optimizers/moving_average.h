// ExponentialMovingAverage: averages of variables or tensors over the steps, in
// which recent values count most.
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

// variable = decay * variable + (1 - decay) * value, beside the variable; gives
// the new value. With `zero_debias` the variable, which began with zeros, is
// what the average would be if it had not: further variables
// "variable/biased" and "variable/local_step" are made (Kingma and Ba, "Adam: a
// method for stochastic optimization", section 3).
Output AssignMovingAverage(const Scope& scope, const ops::Variable& variable,
                           const Output& value, const Input& decay,
                           bool zero_debias = false);

// The average of "w" is the variable "w/ExponentialMovingAverage", beside "w",
// not trainable, at first w's initial value (zeros for a tensor). Errors go to
// the graph. Builds in one graph. One thread.
class ExponentialMovingAverage {
 public:
  struct Options {
    // If there is one: the decay is min(decay, (1 + n) / (10 + n)).
    Output num_updates;
    bool zero_debias = false;  // of tensors
    std::string name = "ExponentialMovingAverage";
  };
  ExponentialMovingAverage(const Input& decay, const Options& options);
  explicit ExponentialMovingAverage(const Input& decay)
      : ExponentialMovingAverage(decay, Options()) {}

  // The op that updates the averages, which are made at the first call for a
  // variable: of all trainable variables, or of those given, or of tensors.
  // Variables also go to graph_keys::kMovingAverageVariables.
  Operation Apply(const Scope& scope);
  Operation Apply(const Scope& scope,
                  const std::vector<ops::Variable>& variables);
  Operation ApplyToTensors(const Scope& scope,
                           const std::vector<Output>& tensors);

  // Null if there is none.
  ops::Variable Average(const ops::Variable& variable) const;
  ops::Variable AverageOf(const Output& tensor) const;
  std::string AverageName(const ops::Variable& variable) const;

  // All global variables, by the names under which a checkpoint holds what they
  // are to become: those of `averaged` (default: the trainable ones and those
  // of the collection) by their averages' names, others by their own. Of a part
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
  const Options options_;
  absl::flat_hash_map<Output, ops::Variable> averages_;  // by handle or tensor
};

}  // namespace millrace::train
