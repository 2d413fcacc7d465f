// Groups of elementwise nodes.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

constexpr char kFusedElementwise[] = "_FusedElementwise";
// Nodes of a group: a step that fails or is cancelled does so between kernels,
// and what they hand to each other shall stay in the first-level cache.
constexpr size_t kMostMembers = 32;

// Lives for one call.
class ElementwiseFuser {
 public:
  ElementwiseFuser(const KernelTable& kernels, Graph* graph)
      : kernels_(kernels), graph_(*graph), pure_(*graph) {}

  Status Run() {
    MR_ASSIGN(const std::vector<NodeId> order, TopologicalOrder(graph_));
    group_of_.assign(static_cast<size_t>(graph_.num_ids()), kNoGroup);
    // Readers come before what they read.
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const Node& node = *graph_.node(*id);
      if (!IsElementwise(node)) continue;
      int32_t group = GroupOfReaders(node);
      if (group == kNoGroup) {
        group = static_cast<int32_t>(groups_.size());
        groups_.emplace_back();
      }
      groups_[static_cast<size_t>(group)].push_back(*id);
      group_of_[static_cast<size_t>(*id)] = group;
    }
    std::vector<FusedGroup> fused;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      if (group->size() < 2) continue;
      fused.push_back({.op = kFusedElementwise,
                       .members = {group->rbegin(), group->rend()},
                       .attrs = {},
                       .takes_list = true});
    }
    return ReplaceGroups(fused, &graph_);
  }

 private:
  static constexpr int32_t kNoGroup = -1;

  bool IsElementwise(const Node& node) {
    const auto [it, added] = rows_.try_emplace(node.op);
    if (added) {
      const auto rows = kernels_.Rows("CPU", node.op->name);
      if (std::any_of(rows.begin(), rows.end(),
                      [](const KernelTable::Row& row) {
                        return row.entry->elementwise != nullptr;
                      })) {
        it->second = rows;
      }
    }
    if (node.num_outputs() != 1 || node.inputs.empty() ||
        node.num_inputs() > ElementwiseFunction::kMaxInputs) {
      return false;
    }
    for (const KernelTable::Row& row : it->second) {
      if (!row.Fits(node.attrs)) continue;
      return row.entry->elementwise != nullptr && is_on_cpu_(node) &&
             pure_(node);
    }
    return false;
  }

  // The one group that all readers are in, if it has room and nobody else
  // waits for the node.
  int32_t GroupOfReaders(const Node& node) const {
    int32_t group = kNoGroup;
    for (const OutEdge& edge : node.out_edges) {
      const int32_t reader = group_of_[static_cast<size_t>(edge.dst)];
      if (edge.dst_port == kControlPort || reader == kNoGroup ||
          (group != kNoGroup && reader != group)) {
        return kNoGroup;
      }
      group = reader;
    }
    if (group == kNoGroup) return kNoGroup;
    const std::vector<NodeId>& members = groups_[static_cast<size_t>(group)];
    return members.size() < kMostMembers &&
                   graph_.node(members[0])->assigned_device ==
                       node.assigned_device
               ? group
               : kNoGroup;
  }

  const KernelTable& kernels_;
  Graph& graph_;
  PureNodes pure_;
  CpuNodes is_on_cpu_;
  absl::flat_hash_map<const OpDef*, absl::Span<const KernelTable::Row>> rows_;
  std::vector<int32_t> group_of_;            // by node
  std::vector<std::vector<NodeId>> groups_;  // each with its last node first
};

}  // namespace

Status FuseElementwise(const KernelTable& kernels, Graph* graph) {
  if (graph->ops().Find(kFusedElementwise) == nullptr ||
      !kernels.HasOp("CPU", kFusedElementwise)) {
    return OkStatus();
  }
  return ElementwiseFuser(kernels, graph).Run();
}

}  // namespace millrace
