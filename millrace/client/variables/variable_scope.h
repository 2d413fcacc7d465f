// VariableScope: variables by name, made at the first request and shared by
// later ones.
//
//   VariableScope root(scope);
//   const VariableScope layer = root.Sub("hidden");
//   ops::Variable w = layer.GetVariable("w", TensorShape({784, 300}));
//                                                    // "hidden/w"
//   ... root.WithReuse(Reuse::kYes).Sub("hidden").GetVariable("w", ...) ...
//                                                    // the same
//
// Names and rules are those of TensorFlow's variable scopes: a variable is
// called by the blocks of variable scopes around it, whatever the names of ops
// around it are.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "millrace/client/scope.h"
#include "millrace/client/variables/initializers.h"
#include "millrace/client/variables/partitioned_variable.h"
#include "millrace/client/variables/partitioners.h"

namespace millrace {

enum class Reuse {
  kNo,    // a second request of a name is INVALID_ARGUMENT
  kYes,   // the first one is
  kAuto,  // makes what is not there
};

// What a value costs, a scalar that goes to graph_keys::kRegularizationLosses.
using Regularizer =
    std::function<Output(const Scope& scope, const Output& value)>;

struct GetVariableOptions {
  DataType dtype = DataType::kFloat;
  Initializer initializer;  // empty: the scope's; without one GlorotUniform for
                            // floating types, else Zeros
  Regularizer regularizer;  // empty: the scope's
  Partitioner partitioner;  // empty: the scope's; for partitioned ones
  bool trainable = true;
  std::optional<bool> use_resource;  // none: the scope's
  std::vector<std::string> collections = {graph_keys::kGlobalVariables};
};

// A small value; functions that "change" it give a new one. All of a graph
// share its variables. One thread at a time builds with those of a graph.
// Errors go to the graph and give null variables.
class VariableScope {
 public:
  // The root: no block, no defaults, reference variables, Reuse::kNo.
  explicit VariableScope(const Scope& scope);

  // Where ops go.
  const Scope& scope() const { return scope_; }
  const std::string& name() const { return name_; }  // "" or "a/b"

  // The block "name" for variables, and one of that name (made unique) for ops.
  // Entering a block again names what is in it from the beginning.
  VariableScope Sub(absl::string_view name) const;
  // The block "name", or "name_1", ... if that was entered: for layers without
  // a name of their own.
  VariableScope UniqueSub(absl::string_view name) const;
  // The same variables, ops elsewhere.
  VariableScope WithScope(const Scope& scope) const;

  VariableScope WithReuse(Reuse reuse) const;
  VariableScope WithInitializer(Initializer initializer) const;
  VariableScope WithRegularizer(Regularizer regularizer) const;
  VariableScope WithPartitioner(Partitioner partitioner) const;
  VariableScope WithResources(bool use_resource = true) const;
  Reuse reuse() const { return reuse_; }

  // In one piece, whatever the partitioner. A shared one must have this shape
  // and type (INVALID_ARGUMENT).
  ops::Variable GetVariable(absl::string_view name, const TensorShape& shape,
                            const GetVariableOptions& options = {}) const;
  // Split by the partitioner; without one in one part.
  ops::PartitionedVariable GetPartitioned(
      absl::string_view name, const TensorShape& shape,
      const GetVariableOptions& options = {}) const;
  // The value of either: split if there is a partitioner.
  Output GetValue(absl::string_view name, const TensorShape& shape,
                  const GetVariableOptions& options = {}) const;

 private:
  struct Store;  // of a graph

  std::string FullName(absl::string_view name) const;
  // What the options leave open.
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
