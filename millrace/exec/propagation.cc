#include "millrace/exec/propagation.h"

#include <algorithm>
#include <optional>

#include "millrace/exec/frame_id.h"

namespace millrace {
namespace {

constexpr uint64_t kOneDead = uint64_t{1} << 32;
// In place of the number of a merge's winning input.
constexpr int32_t kNoWinner = -1;
constexpr int32_t kAllDead = -2;
constexpr uint32_t Pending(uint64_t word) {
  return static_cast<uint32_t>(word);
}
constexpr uint32_t Dead(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}

// Locks a loop's frame; the root needs no lock.
class FrameLock {
 public:
  explicit FrameLock(FrameState& frame) {
    if (!frame.is_root()) lock_.emplace(frame.mu);
  }

 private:
  std::optional<MutexLock> lock_;
};

}  // namespace

Propagation::Propagation(const Plan& plan)
    : plan_(plan),
      root_frame_(plan, 0, 0, nullptr),
      root_state_(plan.TakeRootState()) {
  root_iteration_ = std::make_unique<Iteration>(
      &root_frame_, 0, std::move(root_state_->storage));
}

Propagation::~Propagation() = default;

void Propagation::GiveBack() {
  root_state_->storage = std::move(root_iteration_->storage);
  plan_.GiveBackRootState(std::move(root_state_));
}

void Propagation::Propagate(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                            bool is_dead, ReadyList* ready) {
  switch (r.node->kind) {
    case NodeKind::kEnter:
      Enter(r, outputs, is_dead, ready);
      break;
    case NodeKind::kExit:
      Exit(r, outputs, is_dead, ready);
      break;
    case NodeKind::kNextIteration:
      NextIteration(r, outputs, is_dead, ready);
      break;
    default: {
      if (r.node->num_edges > 0) {
        FrameLock lock(*r.iteration->frame);
        Activate(*r.iteration, *r.node, outputs, LivenessOf(is_dead), ready);
      }
      break;
    }
  }
  Leave(r.iteration, ready);
}

void Propagation::Activate(Iteration& it, const PlanNode& node,
                           absl::Span<EdgeValue> outputs, Liveness liveness,
                           ReadyList* ready) {
  const bool is_dead = liveness == Liveness::kDead;
  IterationStorage& storage = it.storage;
  const size_t before = ready->size();
  for (const PlanEdge& e : plan_.edges(node)) {
    const PlanNode& dst = plan_.node(e.dst);
    const bool is_control = e.src_port == kControlPort;
    const bool dead = is_dead || (!is_control && outputs[e.src_port].is_dead);
    std::atomic<uint64_t>& word = storage.pending[dst.index_in_frame];
    if (dst.kind == NodeKind::kMerge) {
      const auto num_inputs = static_cast<uint64_t>(dst.num_inputs);
      std::atomic<int32_t>& winner = storage.winners[dst.merge];
      int32_t none = kNoWinner;
      bool is_ready;
      bool all_dead = false;
      if (is_control) {
        const uint64_t now = word.fetch_sub(2, std::memory_order_acq_rel) - 2;
        all_dead = Pending(now) == 1 && Dead(now) >= num_inputs;
        is_ready = Pending(now) == 0 || all_dead;
      } else if (dead) {
        // A dead Enter means that the whole loop is dead: its back edge will
        // never carry a value.
        const uint64_t delta =
            (node.kind == NodeKind::kEnter ? num_inputs : 1) * kOneDead;
        const uint64_t now =
            word.fetch_add(delta, std::memory_order_acq_rel) + delta;
        is_ready = all_dead = Pending(now) == 1 && Dead(now) >= num_inputs;
      } else {
        if (!winner.compare_exchange_strong(none, e.slot - dst.first_slot)) {
          continue;  // another live input arrived first, or it is dead
        }
        storage.slots[e.slot] =
            e.last ? std::move(outputs[e.src_port]) : outputs[e.src_port];
        const uint64_t now =
            word.fetch_and(~uint64_t{1}, std::memory_order_acq_rel) &
            ~uint64_t{1};
        is_ready = Pending(now) == 0;
      }
      // It fires once, whatever arrives later: graphs from outside may let a
      // value come to a Merge whose Enter is dead.
      if (all_dead) is_ready = winner.compare_exchange_strong(none, kAllDead);
      if (is_ready) ready->emplace_back(&dst, &it, all_dead);
      continue;
    }
    if (!is_control && !dead) {
      storage.slots[e.slot] =
          e.last ? std::move(outputs[e.src_port]) : outputs[e.src_port];
    }
    if (dst.single_dependency) {
      ready->emplace_back(&dst, &it, dead);
      continue;
    }
    const uint64_t delta = (dead ? kOneDead : 0) - 1;
    const uint64_t now =
        word.fetch_add(delta, std::memory_order_acq_rel) + delta;
    if (Pending(now) == 0) ready->emplace_back(&dst, &it, Dead(now) > 0);
  }
  if (!it.frame->is_root())
    it.outstanding += static_cast<int64_t>(ready->size() - before);
}

FrameState* Propagation::FindOrMakeChild(Iteration& parent,
                                         const PlanNode& enter) {
  MutexLock lock(parent.frame->mu);
  for (auto& child : parent.children) {
    if (child->number == enter.child_frame) return child.get();
  }
  const uint64_t id = ChildFrameId(parent.frame->id, parent.index,
                                   plan_.frame(enter.child_frame).name);
  parent.children.push_back(
      std::make_unique<FrameState>(plan_, enter.child_frame, id, &parent));
  return parent.children.back().get();
}

void Propagation::Enter(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                        bool is_dead, ReadyList* ready) {
  FrameState* child = FindOrMakeChild(*r.iteration, *r.node);
  EdgeValue value = outputs.empty() ? EdgeValue() : std::move(outputs[0]);
  value.is_dead |= is_dead;
  const Liveness liveness = LivenessOf(value.is_dead);
  bool done = false;
  {
    MutexLock lock(child->mu);
    if (r.node->constant_enter) {
      child->invariants.push_back({r.node, value});
      for (auto& it : child->iterations) {
        EdgeValue copy = value;
        Activate(*it, *r.node, absl::MakeSpan(&copy, 1), liveness, ready);
      }
    } else {
      Activate(*child->at(0), *r.node, absl::MakeSpan(&value, 1), liveness,
               ready);
    }
    --child->enters_missing;
    done = EndIterations(*child, ready);
  }
  if (done) EndFrame(child, ready);
}

void Propagation::Exit(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                       bool is_dead, ReadyList* ready) {
  FrameState& frame = *r.iteration->frame;
  if (is_dead || (!outputs.empty() && outputs[0].is_dead)) {
    // Only the dead exits of the last iteration mean that the value never
    // arrives.
    MutexLock lock(frame.mu);
    if (r.iteration->index == frame.newest) frame.dead_exits.push_back(r.node);
    return;
  }
  {
    // A loop exits through a Switch, and once; an Exit whose input is not from
    // a Switch has a value in each iteration, of which the first counts.
    MutexLock lock(frame.mu);
    if (frame.has_left_by(*r.node)) return;
    frame.live_exits.push_back(r.node);
  }
  FrameLock lock(*frame.parent->frame);
  Activate(*frame.parent, *r.node, outputs, Liveness::kLive, ready);
}

void Propagation::NextIteration(const ReadyNode& r,
                                absl::Span<EdgeValue> outputs, bool is_dead,
                                ReadyList* ready) {
  if (is_dead || outputs[0].is_dead) return;  // deadness ends here
  FrameState& frame = *r.iteration->frame;
  MutexLock lock(frame.mu);
  if (r.iteration->index == frame.newest) {
    if (frame.full()) {
      frame.deferred.push_back({r.node, std::move(outputs[0])});
      return;
    }
    StartIteration(frame, ready);
  }
  Activate(*frame.at(r.iteration->index + 1), *r.node, outputs, Liveness::kLive,
           ready);
}

void Propagation::StartIteration(FrameState& frame, ReadyList* ready) {
  ++frame.newest;
  frame.iterations.push_back(std::make_unique<Iteration>(
      &frame, frame.newest, IterationStorage(frame.layout)));
  Iteration& it = *frame.iterations.back();
  for (const FrameValue& v : frame.deferred) {
    EdgeValue value = v.value;
    Activate(it, *v.node, absl::MakeSpan(&value, 1), Liveness::kLive, ready);
  }
  frame.deferred.clear();
  for (const FrameValue& v : frame.invariants) {
    EdgeValue value = v.value;
    const Liveness liveness = LivenessOf(value.is_dead);
    Activate(it, *v.node, absl::MakeSpan(&value, 1), liveness, ready);
  }
  frame.dead_exits.clear();
}

bool Propagation::EndIterations(FrameState& frame, ReadyList* ready) {
  while (!frame.iterations.empty()) {
    Iteration& oldest = *frame.iterations.front();
    if (oldest.outstanding > 0 || !oldest.children.empty()) break;
    if (oldest.index == 0 && frame.enters_missing > 0) break;
    frame.iterations.pop_front();
    ++frame.first;
    if (!frame.deferred.empty() && !frame.full()) StartIteration(frame, ready);
  }
  return frame.iterations.empty() && frame.enters_missing == 0;
}

void Propagation::Leave(Iteration* iteration, ReadyList* ready) {
  FrameState* frame = iteration->frame;
  if (frame->is_root()) return;
  bool done;
  {
    MutexLock lock(frame->mu);
    --iteration->outstanding;
    if (iteration->outstanding > 0) return;
    done = EndIterations(*frame, ready);
  }
  if (done) EndFrame(frame, ready);
}

void Propagation::EndFrame(FrameState* frame, ReadyList* ready) {
  bool done = true;
  while (done) {
    Iteration* parent = frame->parent;
    std::unique_ptr<FrameState> ended;  // outlives the lock below
    MutexLock lock(parent->frame->mu);
    for (const PlanNode* exit : frame->dead_exits) {
      if (frame->has_left_by(*exit)) continue;
      Activate(*parent, *exit, {}, Liveness::kDead, ready);
    }
    auto it = std::find_if(parent->children.begin(), parent->children.end(),
                           [&](auto& c) { return c.get() == frame; });
    ended = std::move(*it);
    parent->children.erase(it);
    frame = parent->frame;
    if (frame->is_root() || parent->outstanding > 0) return;
    done = EndIterations(*frame, ready);
  }
}

}  // namespace millrace
