// Fuses groups of elementwise nodes.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/device_name.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/join_units.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

constexpr char kFusedElementwise[] = "_FusedElementwise";
// The limit on nodes of a group: a step fails or is cancelled only between
// kernels, and intermediate values should stay in the first-level cache.
constexpr size_t kMaxMembers = 32;

// Lives for one call.
class ElementwiseFuser {
 public:
  ElementwiseFuser(const KernelTable& kernels, Graph* graph)
      : kernels_(kernels), graph_(*graph), pure_(*graph) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    FindUnits(order);
    std::vector<FusedGroup> groups;
    for (const std::vector<int32_t>& list :
         JoinUnits(graph_, order, found_, kMaxMembers)) {
      FusedGroup group;
      group.op = kFusedElementwise;
      group.takes_list = true;
      for (const int32_t unit : list) {
        const auto& members = found_.units[static_cast<size_t>(unit)];
        group.members.insert(group.members.end(), members.begin(),
                             members.end());
        group.results.push_back(members.back());
      }
      if (group.members.size() > 1) groups.push_back(std::move(group));
    }
    return ReplaceGroups(groups, &graph_);
  }

 private:
  static constexpr int32_t kNone = NodeUnits::kNone;
  // A type of device that has fused kernels, and the limit on inputs of an op.
  struct DeviceKind {
    const char* type;
    int max_inputs;
  };
  static constexpr DeviceKind kKinds[] = {
      {"CPU", ElementwiseFunction::kMaxInputs}, {"GPU", 3}};
  static constexpr DeviceKind kOther = {"", 0};

  const DeviceKind& KindOf(const Node& node) {
    const auto [it, added] = kinds_.try_emplace(node.assigned_device, &kOther);
    if (added) {
      const StatusOr<DeviceName> name = DeviceName::Parse(node.assigned_device);
      for (const DeviceKind& kind : kKinds) {
        if (name.ok() && name->type == kind.type &&
            kernels_.HasOp(kind.type, kFusedElementwise)) {
          it->second = &kind;
        }
      }
    }
    return *it->second;
  }

  // Units are trees: a node is in the unit of its readers if they are all in
  // the same unit.
  void FindUnits(const std::vector<NodeId>& order) {
    found_.of_node.assign(static_cast<size_t>(graph_.num_ids()), kNone);
    // Readers come before the nodes that they read.
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const Node& node = *graph_.node(*id);
      if (!IsElementwise(node)) continue;
      int32_t unit = UnitOfReaders(node);
      if (unit == kNone) {
        unit = static_cast<int32_t>(found_.units.size());
        found_.units.emplace_back();
      }
      found_.units[static_cast<size_t>(unit)].push_back(*id);
      found_.of_node[static_cast<size_t>(*id)] = unit;
    }
    for (auto& unit : found_.units) std::reverse(unit.begin(), unit.end());
  }

  // The rows of an op that can be fused on a type of device; empty if none can.
  using Rows = absl::Span<const KernelTable::Row>;

  Rows FusedRows(const Node& node, const DeviceKind& kind) {
    const auto [it, added] = rows_.try_emplace(std::pair(node.op, kind.type));
    if (added) {
      const Rows rows = kernels_.Rows(kind.type, node.op->name);
      if (std::any_of(rows.begin(), rows.end(),
                      [](const KernelTable::Row& row) {
                        return row.entry->elementwise != nullptr;
                      })) {
        it->second = rows;
      }
    }
    return it->second;
  }

  bool IsElementwise(const Node& node) {
    const DeviceKind& kind = KindOf(node);
    if (node.num_outputs() != 1 || node.inputs.empty() ||
        node.num_inputs() > kind.max_inputs) {
      return false;
    }
    for (const KernelTable::Row& row : FusedRows(node, kind)) {
      if (!row.Fits(node.attrs)) continue;
      return row.entry->elementwise != nullptr && pure_(node);
    }
    return false;
  }

  // Returns the unit that all readers are in, if it is one unit, it has room
  // and the node has no other followers. (While they grow, units have their
  // last node first.)
  int32_t UnitOfReaders(const Node& node) const {
    int32_t unit = kNone;
    for (const OutEdge& edge : node.out_edges) {
      const int32_t reader = found_.of_node[static_cast<size_t>(edge.dst)];
      if (edge.dst_port == kControlPort || reader == kNone ||
          (unit != kNone && reader != unit)) {
        return kNone;
      }
      unit = reader;
    }
    if (unit == kNone) return kNone;
    const std::vector<NodeId>& members =
        found_.units[static_cast<size_t>(unit)];
    return members.size() < kMaxMembers &&
                   graph_.node(members[0])->assigned_device ==
                       node.assigned_device
               ? unit
               : kNone;
  }

  const KernelTable& kernels_;
  Graph& graph_;
  PureNodes pure_;
  absl::flat_hash_map<std::string, const DeviceKind*> kinds_;  // by device
  absl::flat_hash_map<std::pair<const OpDef*, const char*>, Rows> rows_;
  NodeUnits found_;
};

}  // namespace

Status FuseElementwise(const KernelTable& kernels, Graph* graph) {
  if (graph->ops().Find(kFusedElementwise) == nullptr) return OkStatus();
  return ElementwiseFuser(kernels, graph).Run();
}

}  // namespace millrace
