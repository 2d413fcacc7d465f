#include "millrace/pass/reference_views.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/device_name.h"

namespace millrace {
namespace {

bool HasReference(const DataTypeVector& types) {
  return std::any_of(types.begin(), types.end(),
                     [](DataType type) { return IsRef(type); });
}

bool ReceivesWithinTask(const Node& node) {
  if (node.op->role != OpRole::kRecv) return false;
  const auto from = GetAttr<std::string>(node.attrs, "send_device");
  const auto to = GetAttr<std::string>(node.attrs, "recv_device");
  if (!from.ok() || !to.ok()) return true;
  const StatusOr<DeviceName> sender = DeviceName::Parse(*from);
  const StatusOr<DeviceName> receiver = DeviceName::Parse(*to);
  return !sender.ok() || !receiver.ok() || sender->SameTask(*receiver);
}

// Marks the nodes that can be reached from marked nodes over edges for which
// `passes` is true.
template <class F>
void Spread(const Graph& graph, std::vector<NodeId> reached, F&& passes,
            std::vector<bool>* marks) {
  for (const NodeId id : reached) (*marks)[static_cast<size_t>(id)] = true;
  while (!reached.empty()) {
    const Node& node = *graph.node(reached.back());
    reached.pop_back();
    for (const OutEdge& edge : node.out_edges) {
      if ((*marks)[static_cast<size_t>(edge.dst)] || !passes(edge)) continue;
      (*marks)[static_cast<size_t>(edge.dst)] = true;
      reached.push_back(edge.dst);
    }
  }
}

class HandsOn {
 public:
  explicit HandsOn(const KernelTable* kernels) : kernels_(kernels) {}

  bool operator()(const OpDef& op) {
    if (kernels_ == nullptr || IsControlFlow(op.role)) {
      return true;
    }
    const auto [it, added] = known_.try_emplace(&op, false);
    if (added) {
      const auto rows = kernels_->Rows("CPU", op.name);
      it->second = std::any_of(rows.begin(), rows.end(),
                               [](const KernelTable::Row& row) {
                                 return *row.entry->views != '\0';
                               });
    }
    return it->second;
  }

 private:
  const KernelTable* const kernels_;
  absl::flat_hash_map<const OpDef*, bool> known_;
};

}  // namespace

ReferenceViews::ReferenceViews(const Graph& graph, const KernelTable* kernels) {
  std::vector<NodeId> views, updates;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    // A value that another device of the task sends may be a view, or follow an
    // update.
    const bool is_near = ReceivesWithinTask(*node);
    if (HasReference(node->output_types) || is_near) views.push_back(id);
    if (is_near ||
        (HasReference(node->input_types) && !IsControlFlow(node->op->role))) {
      updates.push_back(id);
    }
  }
  if (updates.empty()) return;
  HandsOn hands_on(kernels);
  views_.resize(static_cast<size_t>(graph.num_ids()));
  follows_.resize(static_cast<size_t>(graph.num_ids()));
  Spread(
      graph, std::move(views),
      [&](const OutEdge& edge) {
        return edge.dst_port != kControlPort &&
               hands_on(*graph.node(edge.dst)->op);
      },
      &views_);
  Spread(
      graph, std::move(updates), [](const OutEdge&) { return true; },
      &follows_);
}

}  // namespace millrace
