// Propagation: what becomes ready when a node of a step is done. It owns the
// step's pending counts, input slots and frames.
#pragma once

#include <memory>

#include "absl/types/span.h"
#include "millrace/exec/frames.h"
#include "millrace/exec/plan.h"

namespace millrace {

// Thread-safe. In the root frame counts are atomic, and nothing is locked but
// where loops begin and end; a loop's frame has a lock.
class Propagation {
 public:
  explicit Propagation(const Plan& plan);
  ~Propagation();

  Iteration* root() { return root_iteration_.get(); }

  // Node `r` is done with `outputs` (all dead if `is_dead`): hands them to the
  // consumers and appends the nodes that became ready. Values are moved out of
  // `outputs`.
  void Propagate(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                 bool is_dead, ReadyList* ready);

  // The step ended well: its root state may be used again.
  void GiveBack();

 private:
  // kLive: each output is as dead as it says; kDead: all of them are, and
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
  // A node of the iteration is done; ends iterations and frames that are.
  void Leave(Iteration* iteration, ReadyList* ready);
  // `frame.mu` held. True if the frame is done.
  bool EndIterations(FrameState& frame, ReadyList* ready);
  // The frame is done: takes it out of its parent's iteration, which may then
  // be done too, and so on.
  void EndFrame(FrameState* frame, ReadyList* ready);
  void StartIteration(FrameState& frame, ReadyList* ready);
  FrameState* FindOrMakeChild(Iteration& parent, const PlanNode& enter);

  const Plan& plan_;
  FrameState root_frame_;
  std::unique_ptr<Plan::RootState> root_state_;
  std::unique_ptr<Iteration> root_iteration_;
};

}  // namespace millrace
