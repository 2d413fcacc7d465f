#include "millrace/pass/fuse_nodes.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace millrace {
namespace {

// Lives for one call.
class GroupReplacer {
 public:
  GroupReplacer(const std::vector<FusedGroup>& groups, Graph* graph)
      : groups_(groups), graph_(*graph), replaced_(groups.size(), kNoNode) {}

  Status Run() {
    std::vector<NodeId> members;
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (const NodeId id : groups_[g].members) {
        group_of_[id] = g;
        members.push_back(id);
      }
    }
    std::vector<Joined> all;
    for (const FusedGroup& group : groups_) all.push_back(Join(group));
    graph_.RemoveNodes(members);
    for (size_t g = 0; g < groups_.size(); ++g) {
      MR_RETURN_IF_ERROR(Add(g, std::move(all[g])));
    }
    return OkStatus();
  }

 private:
  // A group as a node, by the ids before.
  struct Joined {
    std::string name, requested_device, assigned_device;
    std::vector<OutputRef> inputs;
    DataTypeVector input_types;
    DataType output_type = DataType::kInvalid;
    std::vector<NodeId> waits;
    std::vector<OutEdge> edges;  // to nodes of no group
    FusedNodes nodes;
  };

  Joined Join(const FusedGroup& group) const {
    const Node& last = *graph_.node(group.members.back());
    Joined joined{last.name,
                  last.requested_device,
                  last.assigned_device,
                  {},
                  {},
                  last.output_types[0],
                  {},
                  {},
                  {}};
    absl::flat_hash_map<NodeId, int> place;
    absl::flat_hash_map<OutputRef, int> input_numbers;
    const auto number_of = [&](OutputRef in, DataType type) {
      if (const auto m = place.find(in.node); m != place.end()) {
        return -1 - m->second;
      }
      const int next = static_cast<int>(joined.inputs.size());
      if (group.takes_list) {
        const auto [it, added] = input_numbers.try_emplace(in, next);
        if (!added) return it->second;
      }
      joined.inputs.push_back(in);
      joined.input_types.push_back(type);
      return next;
    };
    for (const NodeId id : group.members) {
      const Node& node = *graph_.node(id);
      FusedNode& member = joined.nodes.emplace_back();
      member.name = node.name;
      member.op = node.op;
      member.attrs = node.attrs;
      member.input_types = node.input_types;
      member.output_types = node.output_types;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        member.inputs.push_back(number_of(node.inputs[i], node.input_types[i]));
      }
      joined.waits.insert(joined.waits.end(), node.control_inputs.begin(),
                          node.control_inputs.end());
      place.emplace(id, static_cast<int>(place.size()));
    }
    for (const OutEdge& edge : last.out_edges) {
      if (!group_of_.contains(edge.dst)) joined.edges.push_back(edge);
    }
    return joined;
  }

  // Where a node of before is now.
  NodeId Now(NodeId id) const {
    const auto it = group_of_.find(id);
    return it == group_of_.end() ? id : replaced_[it->second];
  }

  Status Add(size_t group, Joined joined) {
    for (OutputRef& in : joined.inputs) in.node = Now(in.node);
    for (NodeId& wait : joined.waits) wait = Now(wait);
    AttrMap attrs = groups_[group].attrs;
    if (groups_[group].takes_list) {
      attrs.Set("Targs", AttrValue::TypeList(joined.input_types.begin(),
                                             joined.input_types.end()));
      attrs.Set("Tresults", AttrValue::TypeList({joined.output_type}));
    }
    MR_ASSIGN(Node* const node,
              graph_.AddNode(joined.name, groups_[group].op, joined.inputs,
                             std::move(attrs), joined.requested_device,
                             joined.waits));
    node->assigned_device = joined.assigned_device;
    node->fused = std::make_shared<const FusedNodes>(std::move(joined.nodes));
    replaced_[group] = node->id;
    for (const OutEdge& edge : joined.edges) {
      if (edge.dst_port == kControlPort) {
        graph_.AddControlEdge(node->id, edge.dst);
      } else {
        MR_RETURN_IF_ERROR(graph_.SetInput(graph_.node(edge.dst), edge.dst_port,
                                           {node->id, 0}));
      }
    }
    return OkStatus();
  }

  const std::vector<FusedGroup>& groups_;
  Graph& graph_;
  absl::flat_hash_map<NodeId, size_t> group_of_;
  std::vector<NodeId> replaced_;  // by group
};

}  // namespace

Status ReplaceGroups(const std::vector<FusedGroup>& groups, Graph* graph) {
  if (groups.empty()) return OkStatus();
  return GroupReplacer(groups, graph).Run();
}

Status FuseNodes(const KernelTable& kernels, Graph* graph) {
  MR_RETURN_IF_ERROR(FuseProducts(kernels, graph));
  MR_RETURN_IF_ERROR(FuseProductSums(kernels, graph));
  MR_RETURN_IF_ERROR(FuseProductSlices(kernels, graph));
  return FuseElementwise(kernels, graph);
}

}  // namespace millrace
