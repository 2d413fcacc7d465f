#include "millrace/pass/start_sources.h"

#include <algorithm>
#include <iterator>

namespace millrace {
namespace {

// The sets of handwritten graphs have some hundred numbers in all.
constexpr size_t kMaxNumbers = size_t{1} << 20;

bool CallsFunctions(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(), [](const AttrDef& a) {
    return a.kind == "func" || a.kind == "list(func)";
  });
}

// An op that takes what others made counts as stateless in its first
// generation, but waits for them as well: an element of a queue.
bool TakesHandle(const Node& node) {
  return std::any_of(
      node.input_types.begin(), node.input_types.end(),
      [](DataType t) { return IsRef(t) || t == DataType::kResource; });
}

bool MayWait(const Node& node) {
  const OpDef& op = *node.op;
  if (CallsFunctions(op)) return true;
  // Arguments and variables are available from the start.
  return (op.Is(kStateful) || TakesHandle(node)) && op.role != OpRole::kArg &&
         !op.Is(kGivesVariable) && !op.Is(kReadsVariable);
}

}  // namespace

NumberSets::NumberSets(size_t max_numbers) : room_(max_numbers) {
  sets_.emplace_back();
  numbers_[{}] = kEmpty;
}

int32_t NumberSets::Add(std::vector<int32_t> set) {
  const auto next = static_cast<int32_t>(sets_.size());
  const auto [it, added] = numbers_.try_emplace(std::move(set), next);
  if (!added) return it->second;
  if (it->first.size() > room_) {
    numbers_.erase(it);
    return kUnknown;
  }
  room_ -= it->first.size();
  sets_.push_back(it->first);
  return next;
}

int32_t NumberSets::Of(int32_t number) { return Add({number}); }

int32_t NumberSets::Union(int32_t a, int32_t b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  const auto key = std::minmax(a, b);
  if (const auto it = unions_.find(key); it != unions_.end()) return it->second;
  const std::vector<int32_t>& x = sets_[static_cast<size_t>(a)];
  const std::vector<int32_t>& y = sets_[static_cast<size_t>(b)];
  std::vector<int32_t> both;
  both.reserve(x.size() + y.size());
  std::set_union(x.begin(), x.end(), y.begin(), y.end(),
                 std::back_inserter(both));
  const int32_t set = Add(std::move(both));
  unions_[key] = set;
  return set;
}

StartSources::StartSources(const Graph& graph, const std::vector<NodeId>& order)
    : graph_(graph),
      sets_(kMaxNumbers),
      of_node_(static_cast<size_t>(graph.num_ids()), NumberSets::kEmpty),
      next_side_(graph.num_ids()) {
  for (const NodeId id : order) FindOutputs(*graph.node(id));
}

int32_t StartSources::OfOutput(OutputRef output) const {
  const auto it = of_outputs_.find(output.node);
  return it == of_outputs_.end() ? Of(output.node)
                                 : it->second[static_cast<size_t>(output.port)];
}

int32_t StartSources::OfInputs(const Node& node) {
  int32_t set = NumberSets::kEmpty;
  for (const OutputRef& in : node.inputs) {
    // A back edge of a loop: its source has not been visited.
    if (IsBackEdge(*graph_.node(in.node), node)) return kUnknown;
    set = sets_.Union(set, OfOutput(in));
  }
  for (const NodeId id : node.control_inputs) set = sets_.Union(set, Of(id));
  return set;
}

void StartSources::FindOutputs(const Node& node) {
  int32_t& set = of_node_[static_cast<size_t>(node.id)];
  set = OfInputs(node);
  switch (node.op->role) {
    case OpRole::kSwitch: {
      // The last input is the condition.
      const int sides = node.num_outputs();
      std::vector<int32_t> outputs;
      for (int side = 0; side < sides; ++side) {
        const auto [it, added] =
            sides_.try_emplace({node.inputs.back(), {sides, side}}, next_side_);
        next_side_ += added;
        outputs.push_back(sets_.Union(set, sets_.Of(it->second)));
      }
      of_outputs_[node.id] = std::move(outputs);
      break;
    }
    case OpRole::kMerge:
    case OpRole::kControlTrigger:  // alive, whatever its inputs are
      if (set != kUnknown) set = sets_.Of(node.id);
      break;
    case OpRole::kExit:
      set = sets_.Of(node.id);
      break;
    case OpRole::kEnter:
    case OpRole::kNextIteration:
    case OpRole::kLoopCond:
      set = kUnknown;
      break;
    default:
      if (MayWait(node) && set != kUnknown) set = sets_.Of(node.id);
      break;
  }
}

}  // namespace millrace
