// GradientFrame: the frame in which the gradients of one loop's body are built,
// a loop that runs as many iterations backwards, and the transfer of values
// from the forward loop to it.
//
// The forward loop gets a counter; values that the gradients need of each
// iteration are pushed on a stack there, after the counter and before its next
// iteration. The gradient loop counts down from the final count, and pops
// between its counter and its next iteration. In nested loops the inner one's
// count is such a value of the outer one, and one stack serves all runs of an
// inner loop.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/gradients/loop_index.h"
#include "millrace/client/gradients/loop_inputs.h"

namespace millrace {

// Not thread-safe; used for one call of Gradients.
class GradientFrame {
 public:
  // Creates the frame around all loops that are differentiated: `loop` is the
  // unfinished one in whose body the gradients are requested, 0 if there is
  // none.
  GradientFrame(LoopIndex* index, const Scope& scope, int loop);
  // Creates the gradient loop of `loop`, directly in that of `outer`. With
  // `colocate` it is placed with the forward loop's condition.
  GradientFrame(GradientFrame* outer, int loop, bool colocate);
  GradientFrame(const GradientFrame&) = delete;
  GradientFrame& operator=(const GradientFrame&) = delete;

  LoopIndex& index() { return *index_; }
  // Returns the loop whose gradients are built here.
  int forward_loop() const { return forward_loop_; }
  // Returns the scope for the body. Its nodes may have any tensors of the
  // forward loop, or of outside, as inputs until Close.
  const Scope& scope() const { return scope_; }
  // Returns an op that runs once in each iteration; null around all loops.
  const Operation& pivot() const { return loop_.pivot; }

  // A variable of the gradient loop; `shape` holds in each iteration.
  struct Variable {
    Output merge;
    Output in_body;
    Output end;
  };
  Variable AddVariable(const Output& begin, const PartialShape& shape);
  // Returns the variable's value after the loop.
  Output CloseVariable(const Variable& variable, const Output& next);
  // Makes the inputs of the body available in the loop. Requires: no more nodes
  // are added.
  Status Close();

 private:
  void BuildForwardCounter(const Scope& block);
  void BuildCounter(const Scope& block, bool colocate);
  // Returns `value`, of a forward loop or around all loops, in this frame.
  Output Take(const Output& value);
  // The same for a value that is equal in each iteration.
  Output TakeFromOutside(const Output& value);
  // The same for a value of forward_loop().
  Output TakeOfForwardLoop(const Output& value);
  Output TakeInBranch(const Output& value, const Output& outside);
  Output Pop(const Output& value);
  // Returns a value from around all loops in the forward loop.
  Output TakeForward(const Output& value, const Operation& beside);
  // Returns an op that runs once in each iteration in which the branch was
  // taken.
  Operation Pivot(const Branch* branch);
  void PushBeforeNextIteration(const Operation& push);
  void PopBeforeNextIteration(const Operation& op);

  LoopIndex* const index_;
  GradientFrame* const outer_;  // null: around all loops
  const int forward_loop_;
  Scope scope_;
  Scope forward_scope_;  // for nodes in the forward loop's body
  Scope inside_;         // for nodes anywhere in the gradient loop
  LoopName forward_name_;
  OpenLoop loop_;
  Output condition_;
  Output total_;  // the number of iterations, around the forward loop
  Operation forward_step_, forward_next_, forward_sync_;
  Operation next_, sync_;
  absl::flat_hash_map<OutputRef, Output> taken_;
  absl::flat_hash_map<OutputRef, Output> taken_forward_;
  absl::flat_hash_map<const Branch*, Operation> pivots_;
};

}  // namespace millrace
