// FrameState and Iteration: the while loops of a running step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/base/threads/thread.h"
#include "millrace/exec/plan.h"

namespace millrace {

struct FrameState;

// One iteration of a frame. `storage` is written through atomics (root frame)
// or under the frame's lock (loops); the frame's lock guards the other members.
struct Iteration {
  Iteration(FrameState* f, int64_t i, IterationStorage s)
      : frame(f), index(i), storage(std::move(s)) {}

  FrameState* const frame;
  const int64_t index;
  IterationStorage storage;
  int64_t outstanding = 0;  // ready and running nodes; loops only
  // Frames that this iteration has entered and that have not ended.
  absl::InlinedVector<std::unique_ptr<FrameState>, 1> children;
};

// A node that is ready to run.
// Copied field by field, with the pointers apart: a load of two fields at once,
// right after each was stored, waits until both have left the store buffer,
// which took a third of the time of a node without a kernel.
struct ReadyNode {
  ReadyNode() = default;
  ReadyNode(const PlanNode* n, Iteration* i, bool dead)
      : node(n), is_dead(dead), iteration(i) {}
  ReadyNode(const ReadyNode& o)
      : node(o.node), is_dead(o.is_dead), iteration(o.iteration) {}
  ReadyNode& operator=(const ReadyNode& o) {
    node = o.node;
    is_dead = o.is_dead;
    iteration = o.iteration;
    return *this;
  }

  const PlanNode* node = nullptr;
  bool is_dead = false;
  Iteration* iteration = nullptr;
};
using ReadyList = absl::InlinedVector<ReadyNode, 8>;

// A value that waits in a frame, with its producer.
struct FrameValue {
  const PlanNode* node;
  EdgeValue value;
};

// One execution of a while loop (or the root). Iterations begin in order and
// end in order; at most plan->parallel_iterations are alive.
struct FrameState {
  FrameState(const Plan& p, int32_t number, uint64_t frame_id, Iteration* from);

  const Plan& plan;
  const PlanFrame& layout;
  const int32_t number;     // static frame
  const uint64_t id;        // for rendezvous keys
  Iteration* const parent;  // null for the root
  Mutex mu;                 // unused in the root, except for its children
  std::deque<std::unique_ptr<Iteration>> iterations;  // alive ones, in order
  int64_t first = 0;  // index of iterations.front()
  int64_t newest = 0;
  int32_t enters_missing;
  std::vector<FrameValue> invariants;  // of constant Enters, for each iteration
  std::vector<FrameValue> deferred;    // NextIterations beyond the limit
  std::vector<const PlanNode*> dead_exits;  // of the newest iteration
  std::vector<const PlanNode*> live_exits;  // of any

  bool has_left_by(const PlanNode& exit) const {
    return std::find(live_exits.begin(), live_exits.end(), &exit) !=
           live_exits.end();
  }

  bool is_root() const { return parent == nullptr; }
  Iteration* at(int64_t index) { return iterations[index - first].get(); }
  bool full() const {
    return static_cast<int64_t>(iterations.size()) >=
           layout.parallel_iterations;
  }
};

}  // namespace millrace
