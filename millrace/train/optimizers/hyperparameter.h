// Hyperparameter: a learning rate or the like, as an input of the updates of
// variables on several devices.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

// A number becomes a constant on each device, so that no step sends it over the
// network; a tensor (a schedule) is sent where it is needed. Not thread-safe.
class Hyperparameter {
 public:
  Hyperparameter(Input value, std::string name)
      : value_(std::move(value)), name_(std::move(name)) {}

  // Begins to build updates in `block`.
  void StartBlock(const Scope& block);
  // Returns the value as an input of the update of `variable`, in its type.
  Output For(const ops::Variable& variable);

 private:
  const Input value_;
  const std::string name_;
  std::optional<Scope> block_;
  absl::flat_hash_map<std::pair<std::string, DataType>, Output> made_;
};

}  // namespace millrace::train
