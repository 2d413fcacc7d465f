// Optimizer: builds the ops that update variables to minimize a loss.
//
//   MomentumOptimizer optimizer(0.01, 0.9);
//   const Operation train_op =
//       optimizer.Minimize(scope, loss, {.global_step = step});
//
// Names of ops and slots are TensorFlow's, so checkpoints are compatible: the
// momentum of "w" is the variable "w/Momentum". Slots are colocated with their
// variables. Both kinds of variables are updated, with dense and sparse
// gradients.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/gradients.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

// The gradient is none if the loss does not depend on the variable.
struct GradientAndVariable {
  Gradient gradient;
  ops::Variable variable;
};

// Says what an update waits for beside its own gradient, as in TensorFlow's
// optimizers. A read of a reference variable on its own task sees updates of
// the same step, so that without a gate a kernel may change before the gradient
// of its layer's inputs is computed of it.
enum class GateGradients {
  kNone,
  kOp,  // the other gradients of each op that reads the variable
};

struct ComputeGradientsOptions {
  std::vector<ops::Variable> variables;  // empty: the trainable ones
  ops::GradientsOptions gradients;
  GateGradients gate = GateGradients::kOp;
};

struct ApplyGradientsOptions {
  // Incremented by one after the variables; may be null.
  ops::Variable global_step;
  std::string name;  // of the block; empty: the optimizer's
};

struct MinimizeOptions {
  ops::Variable global_step;
  std::vector<ops::Variable> variables;  // empty: the trainable ones
  ops::GradientsOptions gradients;
  std::string name;
  GateGradients gate = GateGradients::kOp;
};

// Used for one graph. Not thread-safe.
//
// The options of each rule end with two fields of the same meaning everywhere:
// `use_locking`, whether updates of a variable are mutually exclusive, and
// `name`, of the block of updates and of the slots. Each struct has them as
// fields of its own: a designated initializer cannot name members of a base,
// and those of a member would need braces of their own.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Returns d loss / d variable for each variable. No variable is an error of
  // the graph, INVALID_ARGUMENT; after an error all gradients are none.
  std::vector<GradientAndVariable> ComputeGradients(
      const Scope& scope, const Output& loss,
      const ComputeGradientsOptions& options = {}) const;
  // Returns the op that applies gradients (maybe modified ones). With a global
  // step it has one output, the step after the update, available once all
  // variables have been updated. It is an error of the graph, INVALID_ARGUMENT,
  // if no variable has a gradient. Null after an error.
  Operation ApplyGradients(const Scope& scope,
                           const std::vector<GradientAndVariable>& gradients,
                           const ApplyGradientsOptions& options = {});
  // Computes and applies the gradients.
  Operation Minimize(const Scope& scope, const Output& loss,
                     const MinimizeOptions& options = {});

  const std::string& name() const { return name_; }
  std::vector<std::string> SlotNames() const;
  // Returns null if there is none.
  ops::Variable Slot(const ops::Variable& variable,
                     absl::string_view slot) const;
  // Returns the optimizer's own state: slots and, after them, variables that
  // are not slots.
  const std::vector<ops::Variable>& variables() const { return own_; }

 protected:
  Optimizer(std::string name, bool use_locking)
      : name_(std::move(name)), use_locking_(use_locking) {}
  bool use_locking() const { return use_locking_; }

  // Creates the necessary state for `variables`, once each. `root` is a scope
  // without a name.
  virtual void CreateState(const Scope& /*root*/,
                           const std::vector<ops::Variable>& /*variables*/) {}
  // Begins to build updates in `block`.
  virtual void Prepare(const Scope& block) = 0;
  // Build the update of a variable, in a `scope` on its device. The indices of
  // rows are distinct.
  virtual Operation ApplyDense(const Scope& scope, const Output& gradient,
                               const ops::Variable& variable) = 0;
  virtual Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                              const ops::Variable& variable) = 0;
  // Builds more updates, after all those of variables.
  virtual std::vector<Operation> Finish(
      const Scope& /*scope*/, const std::vector<Operation>& /*updates*/) {
    return {};
  }
  // Return the op that updates a variable of this kind by a rule, "Momentum":
  // "ApplyMomentum" or "ResourceApplyMomentum", with "Sparse" for sparse
  // updates.
  static std::string DenseUpdateOp(const ops::Variable& variable,
                                   absl::string_view rule);
  static std::string SparseUpdateOp(const ops::Variable& variable,
                                    absl::string_view rule);
  // Returns false if repeated rows do no harm, which saves summing them.
  virtual bool NeedsDistinctRows() const { return true; }

  // Returns a slot of zeros, "variable/name", created at the first call.
  ops::Variable ZerosSlot(const Scope& root, const ops::Variable& variable,
                          const std::string& slot, const std::string& name);
  // The same, filled with one value.
  ops::Variable FilledSlot(const Scope& root, const ops::Variable& variable,
                           const std::string& slot, const std::string& name,
                           double value);
  // Returns a float colocated with `neighbour`, of whatever type that is, which
  // is not a slot of it.
  ops::Variable OwnNumber(const Scope& root, const ops::Variable& neighbour,
                          const std::string& name, float value);

 private:
  ops::Variable NewSlot(const Scope& root, const ops::Variable& variable,
                        const std::string& slot, const std::string& name,
                        const char* initializer, double value);

  const std::string name_;
  const bool use_locking_;
  absl::flat_hash_map<std::pair<Output, std::string>, ops::Variable> slots_;
  std::vector<std::string> slot_names_;
  std::vector<ops::Variable> own_;
};

}  // namespace millrace::train
