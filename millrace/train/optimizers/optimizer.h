// Optimizer: builds the ops that change variables so that a loss gets smaller.
//
//   auto opt = MomentumOptimizer(0.01, 0.9);
//   auto train_op = opt.Minimize(scope, loss, {.global_step = step});
//
// Names of ops and slots are TensorFlow's, so checkpoints fit: the momentum of
// "w" is the variable "w/Momentum". Slots lie beside their variables. Both
// kinds of variables are updated, by dense gradients and by rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/gradients.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

// The gradient is nothing where the loss does not depend on the variable.
struct GradientAndVariable {
  Gradient gradient;
  ops::Variable variable;
};

struct ApplyOptions {
  // Raised by one after the variables; may be null.
  ops::Variable global_step;
  std::string name;  // of the block; empty: the optimizer's
};

struct MinimizeOptions {
  ops::Variable global_step;
  std::vector<ops::Variable> variables;  // empty: the trainable ones
  GradientOptions gradients;
  std::string name;
};

// What the Options of every optimizer have in common: whether updates of a
// variable exclude each other, and the name of the block of updates and of the
// slots. A macro, since a designated initializer does not name a base's
// members.
#define MR_OPTIMIZER_OPTIONS(default_name) \
  bool use_locking = false;                \
  std::string name = default_name

// Builds in one graph. One thread.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // d loss / d variable. INVALID_ARGUMENT if there is no variable.
  StatusOr<std::vector<GradientAndVariable>> ComputeGradients(
      const Scope& scope, const Output& loss,
      std::vector<ops::Variable> variables = {},
      const GradientOptions& options = {}) const;
  // The op that applies gradients (changed ones, if you like). With a global
  // step it has one output, the step after the update, which tells that all
  // variables have been updated. INVALID_ARGUMENT if no variable has a
  // gradient; else the graph's first error.
  StatusOr<Operation> ApplyGradients(
      const Scope& scope, const std::vector<GradientAndVariable>& gradients,
      const ApplyOptions& options = {});
  // Both.
  StatusOr<Operation> Minimize(const Scope& scope, const Output& loss,
                               const MinimizeOptions& options = {});

  const std::string& name() const { return name_; }
  std::vector<std::string> SlotNames() const;
  // Null if there is none.
  ops::Variable Slot(const ops::Variable& variable,
                     absl::string_view slot) const;
  // The optimizer's own state: slots and, after them, what belongs to none.
  const std::vector<ops::Variable>& variables() const { return own_; }

 protected:
  Optimizer(std::string name, bool use_locking)
      : name_(std::move(name)), use_locking_(use_locking) {}
  bool use_locking() const { return use_locking_; }

  // Makes what state there must be for `variables`, once each. `root` is a
  // scope without a name.
  virtual void CreateState(const Scope& /*root*/,
                           const std::vector<ops::Variable>& /*variables*/) {}
  // The updates that follow are built in `block`.
  virtual void Prepare(const Scope& block) = 0;
  // `scope` lies beside the variable. Indices of rows are distinct.
  virtual Operation ApplyDense(const Scope& scope, const Output& gradient,
                               const ops::Variable& variable) = 0;
  virtual Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                              const ops::Variable& variable) = 0;
  // More updates, after all those of variables.
  virtual std::vector<Operation> Finish(
      const Scope& /*scope*/, const std::vector<Operation>& /*updates*/) {
    return {};
  }
  // The op that updates a variable of this kind by a rule, "Momentum":
  // "ApplyMomentum" or "ResourceApplyMomentum", with "Sparse" for rows.
  static std::string DenseUpdateOp(const ops::Variable& variable,
                                   absl::string_view rule);
  static std::string SparseUpdateOp(const ops::Variable& variable,
                                    absl::string_view rule);
  // False where repeated rows do no harm, which saves adding them up.
  virtual bool NeedsDistinctRows() const { return true; }

  // A slot of zeros, "variable/name", made at the first call.
  ops::Variable ZerosSlot(const Scope& root, const ops::Variable& variable,
                          const std::string& slot, const std::string& name);
  // The same full of one value.
  ops::Variable FilledSlot(const Scope& root, const ops::Variable& variable,
                           const std::string& slot, const std::string& name,
                           double value);
  // A float beside `neighbour`, of whatever type that is, not a slot of it.
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
