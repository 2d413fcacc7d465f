// Propagation: determines which nodes become ready when a node of a step is
// done. It owns the step's pending counts, input slots and frames.
#pragma once

#include <memory>

#include "absl/types/span.h"
#include "millrace/exec/frames.h"
#include "millrace/exec/plan.h"

namespace millrace {

// Thread-safe. In the root frame the counts are atomic, and locks are taken
// only where loops begin and end; a loop's frame has a lock.
class Propagation {
 public:
  explicit Propagation(const Plan& plan);
  ~Propagation();

  Iteration* root() { return root_iteration_.get(); }

  // Handles the end of node `r` with `outputs` (all dead if `is_dead`): moves
  // the values out of `outputs` to the consumers and appends the nodes that
  // became ready.
  void Propagate(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                 bool is_dead, ReadyList* ready);

  // Makes the root state available for reuse. Requires: the step ended with OK.
  void GiveBack();

 private:
  // kLive: each output has its own is_dead; kDead: all outputs are dead, and
  // `outputs` may be empty.
  enum class Liveness { kLive, kDead };
  static Liveness LivenessOf(bool is_dead) {
    return is_dead ? Liveness::kDead : Liveness::kLive;
  }
  void Activate(Iteration& iteration, const PlanNode& node,
                absl::Span<EdgeValue> outputs, Liveness liveness,
                ReadyList* ready);
  void Enter(const ReadyNode& r, absl::Span<EdgeValue> outputs, bool is_dead,
             ReadyList* ready);
  void Exit(const ReadyNode& r, absl::Span<EdgeValue> outputs, bool is_dead,
            ReadyList* ready);
  void NextIteration(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                     bool is_dead, ReadyList* ready);
  // Handles the end of a node of the iteration; ends iterations and frames
  // without remaining nodes.
  void Leave(Iteration* iteration, ReadyList* ready);
  // Returns true if the frame has ended. Requires: `frame.mu` is held.
  bool EndIterations(FrameState& frame, ReadyList* ready);
  // Removes a frame that has ended from its parent's iteration, which may then
  // end, too, and so on.
  void EndFrame(FrameState* frame, ReadyList* ready);
  void StartIteration(FrameState& frame, ReadyList* ready);
  FrameState* FindOrMakeChild(Iteration& parent, const PlanNode& enter);

  const Plan& plan_;
  FrameState root_frame_;
  std::unique_ptr<Plan::RootState> root_state_;
  std::unique_ptr<Iteration> root_iteration_;
};

}  // namespace millrace
