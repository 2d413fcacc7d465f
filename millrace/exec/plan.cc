#include "millrace/exec/plan.h"

#include <algorithm>
#include <utility>

namespace millrace {
namespace {

// The limit on free states per plan; further concurrent steps allocate new
// ones.
constexpr size_t kMaxFreeStates = 16;

}  // namespace

Plan::~Plan() = default;

std::unique_ptr<Plan::RootState> Plan::TakeRootState() const {
  std::unique_ptr<RootState> state;
  {
    MutexLock lock(mu_);
    if (!free_states_.empty()) {
      state = std::move(free_states_.back());
      free_states_.pop_back();
    }
  }
  if (state == nullptr) return std::make_unique<RootState>(frames_[0]);
  state->storage.Reset(frames_[0]);
  return state;
}

void Plan::GiveBackRootState(std::unique_ptr<RootState> state) const {
  MutexLock lock(mu_);
  if (free_states_.size() < kMaxFreeStates)
    free_states_.push_back(std::move(state));
}

std::shared_ptr<const PlanLabels> Plan::Labels() const {
  MutexLock lock(mu_);
  if (labels_ != nullptr) return labels_;
  auto labels = std::make_shared<PlanLabels>();
  labels->device = device_.name();
  labels->nodes.reserve(nodes_.size());
  for (const PlanNode& n : nodes_) {
    labels->nodes.push_back({n.info->name, OpLabel(*n.info)});
  }
  labels_ = std::move(labels);
  return labels_;
}

IterationStorage::IterationStorage(const PlanFrame& frame)
    : pending(new std::atomic<uint64_t>[frame.num_nodes]),
      slots(new EdgeValue[frame.num_slots]),
      winners(new std::atomic<int32_t>[frame.num_merges]) {
  Reset(frame);
}

void IterationStorage::Reset(const PlanFrame& frame) {
  for (int32_t i = 0; i < frame.num_nodes; ++i) {
    pending[i].store(frame.initial_pending[i], std::memory_order_relaxed);
  }
  for (int32_t i = 0; i < frame.num_merges; ++i) {
    winners[i].store(-1, std::memory_order_relaxed);
  }
}

}  // namespace millrace
