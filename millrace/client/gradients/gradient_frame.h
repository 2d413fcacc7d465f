// GradientFrame: where the gradients of one loop's body are built, a loop that
// runs as often and backwards, and how values of the forward loop come there.
//
// The forward loop gets a counter; what the gradients need of each iteration
// goes on a stack there, after the counter and before its next iteration. The
// gradient loop counts down from what the counter reached, and pops between its
// counter and its next iteration. Of nested loops the inner one's count is such
// a value of the outer one, and a stack is for all runs of an inner loop.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/gradients/loop_index.h"
#include "millrace/client/gradients/loop_inputs.h"

namespace millrace {

// One thread, for one call of Gradients.
class GradientFrame {
 public:
  // What is around all loops that gradients go through: `loop` is the one,
  // still open, in whose body the gradients are asked for, 0 if there is none.
  GradientFrame(LoopIndex* index, const Scope& scope, int loop);
  // The gradient loop of `loop`, which is directly in that of `outer`.
  // `colocate`: goes where the forward loop's condition is.
  GradientFrame(GradientFrame* outer, int loop, bool colocate);
  GradientFrame(const GradientFrame&) = delete;
  GradientFrame& operator=(const GradientFrame&) = delete;

  LoopIndex& index() { return *index_; }
  // The loop whose gradients are built here.
  int forward_loop() const { return forward_loop_; }
  // For what is built in the body. Its nodes may have any tensors of the
  // forward loop, or of outside, as inputs until Close.
  const Scope& scope() const { return scope_; }

  // A variable of the gradient loop; `shape` holds in each iteration.
  struct Variable {
    Output merge;
    Output in_body;
    Output end;
  };
  Variable AddVariable(const Output& begin, const PartialShape& shape);
  // Gives the variable's value after the loop.
  Output CloseVariable(const Variable& variable, const Output& next);
  // No more nodes come: takes what the body needs into the loop.
  Status Close();

 private:
  void BuildForwardCounter(const Scope& block);
  void BuildCounter(const Scope& block, bool colocate);
  // `value` of a forward loop or around all, in this frame.
  Output Take(const Output& value);
  // The same in each iteration.
  Output TakeFromOutside(const Output& value);
  // The same for a value of forward_loop().
  Output TakeOfForwardLoop(const Output& value);
  Output TakeInBranch(const Output& value, const Output& outside);
  Output Pop(const Output& value);
  // A value from around all loops in the forward loop.
  Output TakeForward(const Output& value, const Operation& beside);
  // Runs once an iteration where the branch was taken.
  Operation Pivot(const Branch* branch);
  void PushBeforeNextIteration(const Operation& push);
  void PopBeforeNextIteration(const Operation& op);

  LoopIndex* const index_;
  GradientFrame* const outer_;  // null: around all loops
  const int forward_loop_;
  Scope scope_;
  Scope forward_scope_;  // for nodes in the forward loop's body
  Scope inside_;         // for nodes in the gradient loop, wherever
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
