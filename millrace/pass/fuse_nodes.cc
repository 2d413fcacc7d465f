#include "millrace/pass/fuse_nodes.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/device_name.h"
#include "millrace/graph/verifier.h"

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
      MR_RETURN_IF_ERROR(Add(g, &all[g]));
    }
    for (size_t g = 0; g < groups_.size(); ++g) {
      MR_RETURN_IF_ERROR(Connect(g, all[g]));
    }
    return OkStatus();
  }

 private:
  // A group as a node, with the ids before the replacement.
  struct Joined {
    std::string name, requested_device, assigned_device;
    std::vector<OutputRef> inputs;
    DataTypeVector input_types, output_types;
    std::vector<NodeId> waits;
    std::vector<OutEdge> edges;  // from its outputs to nodes of no group
    FusedNodes nodes;
  };

  Joined Join(const FusedGroup& group) {
    const Node& last = *graph_.node(group.members.back());
    Joined joined;
    joined.name = last.name;
    joined.requested_device = last.requested_device;
    joined.assigned_device = last.assigned_device;
    const absl::Span<const NodeId> results =
        group.results.empty() ? absl::MakeConstSpan(&group.members.back(), 1)
                              : absl::MakeConstSpan(group.results);
    for (const NodeId id : results) {
      output_of_[id] = static_cast<int32_t>(joined.output_types.size());
      const DataTypeVector& types = graph_.node(id)->output_types;
      joined.output_types.insert(joined.output_types.end(), types.begin(),
                                 types.end());
    }
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
      const auto output = output_of_.find(id);
      if (output == output_of_.end()) continue;
      member.result = output->second;
      for (const OutEdge& edge : node.out_edges) {
        if (group_of_.contains(edge.dst)) continue;
        joined.edges.push_back(edge);
        if (edge.port != kControlPort)
          joined.edges.back().port += member.result;
      }
    }
    for (const OutputRef& in : group.more_inputs) {
      joined.inputs.push_back(in);
    }
    return joined;
  }

  // Returns the current id of a node.
  NodeId Now(NodeId id) const {
    const auto it = group_of_.find(id);
    return it == group_of_.end() ? id : replaced_[it->second];
  }
  OutputRef Now(OutputRef output) const {
    const auto it = output_of_.find(output.node);
    return it == output_of_.end()
               ? output
               : OutputRef{Now(output.node), it->second + output.port};
  }

  Status Add(size_t group, Joined* joined) {
    AttrMap attrs = groups_[group].attrs;
    if (groups_[group].takes_list) {
      attrs.Set("Targs", AttrValue::TypeList(joined->input_types.begin(),
                                             joined->input_types.end()));
      attrs.Set("Tresults", AttrValue::TypeList(joined->output_types.begin(),
                                                joined->output_types.end()));
    }
    MR_ASSIGN_OR_RETURN(
        Node* const node,
        graph_.AddNodeUnconnected(joined->name, groups_[group].op,
                                  std::move(attrs), joined->requested_device));
    node->assigned_device = joined->assigned_device;
    node->fused = std::make_shared<const FusedNodes>(std::move(joined->nodes));
    replaced_[group] = node->id;
    return OkStatus();
  }

  Status Connect(size_t group, const Joined& joined) {
    Node* const node = graph_.node(replaced_[group]);
    if (joined.inputs.size() != node->input_types.size()) {
      return Internal("Fused node ", node->name, " of op ", node->op->name,
                      " has ", joined.inputs.size(), " inputs, expected ",
                      node->input_types.size());
    }
    for (size_t i = 0; i < joined.inputs.size(); ++i) {
      MR_RETURN_IF_ERROR(graph_.SetInput(node, static_cast<int32_t>(i),
                                         Now(joined.inputs[i])));
    }
    for (const NodeId wait : joined.waits) {
      graph_.AddControlEdge(Now(wait), node->id);
    }
    for (const OutEdge& edge : joined.edges) {
      if (edge.dst_port == kControlPort) {
        graph_.AddControlEdge(node->id, edge.dst);
      } else {
        MR_RETURN_IF_ERROR(graph_.SetInput(graph_.node(edge.dst), edge.dst_port,
                                           {node->id, edge.port}));
      }
    }
    return OkStatus();
  }

  const std::vector<FusedGroup>& groups_;
  Graph& graph_;
  absl::flat_hash_map<NodeId, size_t> group_of_;
  absl::flat_hash_map<NodeId, int32_t>
      output_of_;                 // of results, within their group
  std::vector<NodeId> replaced_;  // by group
};

}  // namespace

bool HasFusedKernel(const KernelTable& kernels, const FusedGroup& group,
                    const Graph& graph) {
  const OpDef* const op = graph.ops().Find(group.op);
  const std::string& device = graph.node(group.members[0])->assigned_device;
  const StatusOr<DeviceName> name = DeviceName::Parse(device);
  if (!name.ok() || !name->type) return false;
  // The schema may allow fewer types than the kernels of the members.
  AttrMap complete = group.attrs;
  return op != nullptr && kernels.Has(*name->type, *op, group.attrs) &&
         CompleteAttrs(*op, &complete).ok();
}

Status ReplaceGroups(const std::vector<FusedGroup>& groups, Graph* graph) {
  if (groups.empty()) return OkStatus();
  return GroupReplacer(groups, graph).Run();
}

Status FuseNodes(const KernelTable& kernels, Graph* graph) {
  MR_RETURN_IF_ERROR(FuseProducts(kernels, graph));
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "fusing of products");
  MR_RETURN_IF_ERROR(FuseProductSums(kernels, graph));
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "fusing of sums of products");
  MR_RETURN_IF_ERROR(FuseProductSlices(kernels, graph));
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "fusing of sliced products");
  MR_RETURN_IF_ERROR(PairPools(kernels, graph));
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "pairing of pools");
  MR_RETURN_IF_ERROR(FuseElementwise(kernels, graph));
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "fusing of elementwise nodes");
  return OkStatus();
}

}  // namespace millrace
