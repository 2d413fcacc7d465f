// Variable: state of a graph, in TensorFlow's two kinds: a reference variable
// (VariableV2) or a resource (VarHandleOp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/graph_keys.h"
#include "millrace/client/indexed_slices.h"
#include "millrace/client/input.h"
#include "millrace/client/scope.h"
#include "millrace/client/variables/save_slice.h"

namespace millrace::ops {

struct VariableOptions {
  bool trainable = true;
  // Trainable variables are also added to graph_keys::kTrainableVariables.
  std::vector<std::string> collections = {graph_keys::kGlobalVariables};
  bool use_resource = false;
  // Whether its value always has the shape of the initial value. If not, the
  // variable has no static shape.
  bool validate_shape = true;
  // The name under which sessions of a cluster share it within its container;
  // the default is its name.
  std::string shared_name;
};

struct VariableUpdateOptions {
  // Whether updates of a reference variable are mutually exclusive; none:
  // assignments are, additions are not.
  std::optional<bool> use_locking;
};

// Builds the initial value, in the variable's block "Initializer".
using VariableInitializer = std::function<Output(const Scope& scope)>;

// A small value; copies refer to the same variable. Valid as long as its graph.
// Null after an error. As an input it stands for its value.
class Variable {
 public:
  Variable() = default;
  // Called by the scope's op name, "Variable" without one. Control dependencies
  // of the scope are ignored: its initializer must be able to run alone.
  Variable(const Scope& scope, const Input& initial_value,
           const VariableOptions& options = {});
  Variable(const Scope& scope, const VariableInitializer& initializer,
           const VariableOptions& options = {});
  // Names of the nodes of a variable that is in the graph already (an imported
  // one): "w:0", "w/Assign", "w/read:0", "w/Initializer/x:0".
  struct Parts {
    std::string variable_name;
    std::string initializer_name;
    std::string snapshot_name;
    std::string initial_value_name;  // may be empty
    bool trainable = true;
  };
  static StatusOr<Variable> FromParts(ClientGraph& graph, const Parts& parts);

  explicit operator bool() const { return state_ != nullptr; }
  std::string name() const { return handle().name(); }  // "w:0"
  std::string op_name() const { return op().name(); }   // "w"
  const Operation& op() const { return handle().op(); }
  DataType dtype() const;
  PartialShape shape() const;
  bool is_resource() const;
  bool trainable() const;

  // Returns the reference, or the resource's handle.
  const Output& handle() const;
  // Returns its value, read once per step on its own device.
  const Output& value() const;
  operator Output() const { return value(); }  // NOLINT
  const Operation& initializer() const;
  const Output& initial_value() const;
  // The slice of a part of a partitioned variable, or of a slot of one; null
  // for all others. Set it where the variable is built, before other threads
  // see it.
  const SaveSlice* save_slice() const;
  void SetSaveSlice(SaveSlice slice);
  // For a slot "w/part_0/x" of the variable "w/part_0", of its shape: if that
  // is a part of "w", the slot becomes the same part of "w/x".
  void SetSaveSliceOfSlot(const Variable& primary);

  // Builds a new read, which has the scope's control dependencies.
  Output Read(const Scope& scope) const;
  // These return the new value.
  Output Assign(const Scope& scope, const Input& value,
                const VariableUpdateOptions& options = {}) const;
  Output AssignAdd(const Scope& scope, const Input& delta,
                   const VariableUpdateOptions& options = {}) const;
  Output AssignSub(const Scope& scope, const Input& delta,
                   const VariableUpdateOptions& options = {}) const;
  // Sparse updates, of rows only; the operation has no output for a resource.
  Operation ScatterUpdate(const Scope& scope, const IndexedSlices& rows) const;
  Operation ScatterAdd(const Scope& scope, const IndexedSlices& rows) const;
  Operation ScatterSub(const Scope& scope, const IndexedSlices& rows) const;

  Output IsInitialized(const Scope& scope) const;
  // Returns its value if it has one, otherwise its initial value: for
  // initializers of other variables.
  Output InitializedValue(const Scope& scope) const;

  friend bool operator==(const Variable& a, const Variable& b) {
    return a.handle() == b.handle();
  }

 private:
  struct State;
  void Build(const Scope& scope,
             const std::function<Output(const Scope&)>& initial_value,
             bool is_function, const VariableOptions& options);
  // `op` is the op for references; that for resources is its name followed by
  // "VariableOp".
  Output Update(const Scope& scope, const char* op, const Input& value,
                bool use_locking) const;
  Operation Scatter(const Scope& scope, const char* op,
                    const IndexedSlices& rows) const;

  std::shared_ptr<State> state_;
};

// Return the variables of a collection.
std::vector<Variable> GlobalVariables(const Scope& scope);
std::vector<Variable> LocalVariables(const Scope& scope);
std::vector<Variable> TrainableVariables(const Scope& scope);

// Return an op that runs the initializers.
Operation VariablesInitializer(const Scope& scope,
                               const std::vector<Variable>& variables);
Operation GlobalVariablesInitializer(const Scope& scope);
Operation LocalVariablesInitializer(const Scope& scope);
// Returns a vector of the names ("w") of those without a value. Without a list:
// of all global and local ones.
Output ReportUninitialized(const Scope& scope,
                           const std::vector<Variable>& variables);
Output ReportUninitialized(const Scope& scope);

}  // namespace millrace::ops
