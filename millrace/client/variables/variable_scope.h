// VariableScope: creates variables by name at the first request, and shares
// them with later ones.
//
//   VariableScope root(scope);
//   const VariableScope layer = root.Sub("hidden");
//   ops::Variable w = layer.GetVariable("w", TensorShape({784, 300}));
//                                                    // "hidden/w"
//   ... root.WithReuse(Reuse::kYes).Sub("hidden").GetVariable("w", ...) ...
//                                                    // the same
//
// Names and rules are those of TensorFlow's variable scopes: the blocks of
// variable scopes determine a variable's name, whatever the names of the ops
// around it are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/scope.h"
#include "millrace/client/variables/initializers.h"
#include "millrace/client/variables/partitioned_variable.h"
#include "millrace/client/variables/partitioners.h"

namespace millrace {

enum class Reuse {
  kNo,    // a second request of a name is INVALID_ARGUMENT
  kYes,   // the first request of a name is INVALID_ARGUMENT
  kAuto,  // creates missing variables
};

// Returns the cost of a value, a scalar that is added to
// graph_keys::kRegularizationLosses.
using Regularizer =
    std::function<Output(const Scope& scope, const Output& value)>;

struct GetVariableOptions {
  DataType dtype = DataType::kFloat;
  Initializer initializer;  // empty: the scope's; if it has none, GlorotUniform
                            // for floating types, otherwise Zeros
  Regularizer regularizer;  // empty: the scope's
  Partitioner partitioner;  // empty: the scope's; for partitioned variables
  // Device blocks, one for each part of a partitioned variable; empty: all
  // where the scope says.
  std::vector<std::string> part_devices;
  bool trainable = true;
  std::optional<bool> use_resource;  // none: the scope's
  std::vector<std::string> collections = {graph_keys::kGlobalVariables};
};

// A small value; functions that "change" it return a new one. All scopes of a
// graph share its variables. Not thread-safe: one thread at a time may use
// those of a graph. Errors are recorded in the graph and give null variables.
class VariableScope {
 public:
  // Creates the root: no block, no defaults, reference variables, Reuse::kNo.
  explicit VariableScope(const Scope& scope);

  // Returns the scope in which ops are built.
  const Scope& scope() const { return scope_; }
  const std::string& name() const { return name_; }  // "" or "a/b"

  // Returns the block "name" for variables, with a block of that name (made
  // unique) for ops. Entering a block again restarts the numbering of names in
  // it.
  VariableScope Sub(absl::string_view name) const;
  // Returns the block "name", or "name_1", ... if that was entered: for layers
  // without a name of their own.
  VariableScope UniqueSub(absl::string_view name) const;
  // Returns a scope with the same variables, and ops elsewhere.
  VariableScope WithScope(const Scope& scope) const;

  VariableScope WithReuse(Reuse reuse) const;
  VariableScope WithInitializer(Initializer initializer) const;
  VariableScope WithRegularizer(Regularizer regularizer) const;
  VariableScope WithPartitioner(Partitioner partitioner) const;
  VariableScope WithResources(bool use_resource = true) const;
  Reuse reuse() const { return reuse_; }

  // Returns a variable in one piece, whatever the partitioner. A shared one
  // must have this shape and type (INVALID_ARGUMENT).
  ops::Variable GetVariable(absl::string_view name, const TensorShape& shape,
                            const GetVariableOptions& options = {}) const;
  // Returns a variable split by the partitioner; without one it has one part.
  ops::PartitionedVariable GetPartitioned(
      absl::string_view name, const TensorShape& shape,
      const GetVariableOptions& options = {}) const;
  // Returns the value of a variable: partitioned if there is a partitioner.
  Output GetValue(absl::string_view name, const TensorShape& shape,
                  const GetVariableOptions& options = {}) const;

 private:
  struct Store;  // of a graph

  std::string FullName(absl::string_view name) const;
  // Fills in what the options leave open.
  GetVariableOptions Complete(const GetVariableOptions& options) const;
  ops::VariableOptions OptionsFor(const GetVariableOptions& options) const;
  bool MayMake(const std::string& full_name, bool exists) const;
  void Regularize(const std::string& full_name, const Output& value,
                  const GetVariableOptions& options) const;
  VariableScope Entered(const std::string& name) const;

  std::shared_ptr<Store> store_;
  Scope scope_;
  std::string name_;
  Reuse reuse_ = Reuse::kNo;
  Initializer initializer_;
  Regularizer regularizer_;
  Partitioner partitioner_;
  bool use_resource_ = false;
};

}  // namespace millrace
