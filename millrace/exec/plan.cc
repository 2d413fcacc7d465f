#include "millrace/exec/plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace millrace {
namespace {

// The limit on free states per plan; further concurrent steps allocate new
// ones.
constexpr size_t kMaxFreeStates = 16;

// A master names the transfers of feeds and fetches "_recv_x_0" and
// "_send_x_0"; RegisteredGraph makes them slots of the plan.
PlanLabels::Node::Kind LabelKind(const PlanNode& n) {
  using Kind = PlanLabels::Node::Kind;
  switch (n.kind) {
    case NodeKind::kNoOp:
    case NodeKind::kControlTrigger:
      return Kind::kNothingToRun;
    case NodeKind::kTransfer:
      return n.num_outputs == 0 ? Kind::kSend : Kind::kReceive;
    case NodeKind::kArg:
      return absl::StartsWith(n.info->name, "_recv_") ? Kind::kReceive
                                                      : Kind::kKernel;
    case NodeKind::kRetval:
      return absl::StartsWith(n.info->name, "_send_") ? Kind::kSend
                                                      : Kind::kKernel;
    default:
      return Kind::kKernel;
  }
}

bool KeepsOutputs(const PlanNode& n) {
  if (n.kind == NodeKind::kConstant) return true;
  // A reference that comes from nowhere is that of a variable.
  return n.num_inputs == 0 && n.num_outputs == 1 &&
         IsRef(n.info->output_types[0]);
}

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
  labels->allocator = std::string(device_.allocator()->name());
  labels->nodes.reserve(nodes_.size());
  for (const PlanNode& n : nodes_) {
    labels->nodes.push_back({.name = n.info->name,
                             .op = OpLabel(*n.info),
                             .inputs = std::vector<PlanLabels::Input>(
                                 static_cast<size_t>(n.num_inputs)),
                             .output_types = n.info->output_types,
                             .kind = LabelKind(n),
                             .keeps_outputs = KeepsOutputs(n)});
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    for (const PlanEdge& edge : edges(nodes_[i])) {
      const PlanNode& dst = node(edge.dst);
      std::vector<PlanLabels::Input>& inputs =
          labels->nodes[static_cast<size_t>(edge.dst)].inputs;
      const PlanLabels::Input input = {static_cast<int32_t>(i), edge.src_port};
      if (edge.slot == kControlPort) {
        inputs.push_back(input);
      } else {
        inputs[static_cast<size_t>(edge.slot - dst.first_slot)] = input;
      }
    }
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
