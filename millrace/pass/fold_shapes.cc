#include "millrace/pass/fold_shapes.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/shape_refiner.h"
#include "millrace/graph/verifier.h"
#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

bool IsUnfed(const Node& node) { return node.op->role == OpRole::kPlaceholder; }

// Lives for one call.
class ShapeFolder {
 public:
  ShapeFolder(const RunSignature& signature, Graph* graph)
      : graph_(*graph), pure_(*graph), targets_(TargetsOf(signature, *graph)) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(std::vector<NodeId> asking, FindAsking());
    if (asking.empty()) return OkStatus();
    MR_ASSIGN_OR_RETURN(std::vector<Replacement> replacements,
                        Answer(std::move(asking)));
    std::vector<NodeId> replaced, unread;
    for (const Replacement& r : replacements) {
      replaced.push_back(r.id);
      for (const OutputRef& in : graph_.node(r.id)->inputs) {
        unread.push_back(in.node);
      }
    }
    graph_.RemoveNodes(replaced);
    for (const Replacement& r : replacements) {
      MR_RETURN_IF_ERROR(AddConstants(r));
    }
    RemoveUnread(std::move(unread));
    return OkStatus();
  }

 private:
  // A node that asks for shapes, what it would give, and who wants that.
  struct Replacement {
    NodeId id = kNoNode;
    std::string name, requested_device, assigned_device;
    std::vector<NodeId> waits;
    std::vector<OutEdge> edges;
    std::vector<Tensor> outputs;
  };

  // Returns the nodes that ask for shapes alone, of what depends on an unfed
  // placeholder and on no control flow.
  StatusOr<std::vector<NodeId>> FindAsking() {
    std::vector<NodeId> asking;
    bool any_unfed = false;
    for (NodeId id = 0; id < graph_.num_ids() && !any_unfed; ++id) {
      any_unfed = graph_.node(id) != nullptr && IsUnfed(*graph_.node(id));
    }
    if (!any_unfed) return asking;
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    const auto ids = static_cast<size_t>(graph_.num_ids());
    std::vector<bool> depends(ids), is_in_flow(ids);
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      const auto at = static_cast<size_t>(id);
      depends[at] = IsUnfed(node);
      is_in_flow[at] = IsControlFlow(node.op->role);
      for (const OutputRef& in : node.inputs) {
        if (in.node == kNoNode) continue;
        const auto from = static_cast<size_t>(in.node);
        if (depends[from]) depends[at] = true;
        if (is_in_flow[from]) is_in_flow[at] = true;
      }
      if (depends[at] && !is_in_flow[at] && !node.op->Is(kStateful) &&
          node.op->ints_of_shapes != nullptr && is_on_cpu_(node)) {
        asking.push_back(id);
      }
    }
    return asking;
  }

  // Leaves out nodes whose answers are not known.
  StatusOr<std::vector<Replacement>> Answer(std::vector<NodeId> asking) {
    std::vector<Replacement> known;
    ShapeRefiner refiner(&graph_);
    // The run says what is wrong with the graph.
    if (!refiner.AddNewNodes().ok()) return known;
    for (const NodeId id : asking) {
      const Node& node = *graph_.node(id);
      Replacement r{
          .id = id,
          .name = node.name,
          .requested_device = node.requested_device,
          .assigned_device = node.assigned_device,
          .waits = {node.control_inputs.begin(), node.control_inputs.end()}};
      for (int port = 0; port < node.num_outputs(); ++port) {
        const Tensor* const value = refiner.ConstantValue({id, port});
        if (value == nullptr) break;
        r.outputs.push_back(*value);
      }
      if (r.outputs.size() == static_cast<size_t>(node.num_outputs())) {
        known.push_back(std::move(r));
      }
    }
    std::vector<bool> goes(static_cast<size_t>(graph_.num_ids()));
    for (const Replacement& r : known) goes[static_cast<size_t>(r.id)] = true;
    for (Replacement& r : known) {
      for (const OutEdge& edge : graph_.node(r.id)->out_edges) {
        if (!goes[static_cast<size_t>(edge.dst)]) r.edges.push_back(edge);
      }
      // A constant has nothing to wait for.
      std::erase_if(r.waits, [&](NodeId wait) {
        return goes[static_cast<size_t>(wait)];
      });
    }
    return known;
  }

  Status AddConstants(const Replacement& r) {
    std::vector<NodeId> constants(r.outputs.size(), kNoNode);
    const auto add = [&](size_t port, const std::string& name) -> Status {
      MR_ASSIGN_OR_RETURN(
          Node* const node,
          graph_.AddNode(name, builtin::kConst, {},
                         AttrMap({{"dtype", r.outputs[port].dtype()},
                                  {"value", r.outputs[port]}}),
                         r.requested_device, r.waits));
      node->assigned_device = r.assigned_device;
      constants[port] = node->id;
      return OkStatus();
    };
    MR_RETURN_IF_ERROR(add(0, r.name));
    for (const OutEdge& edge : r.edges) {
      if (edge.dst_port == kControlPort) {
        graph_.AddControlEdge(constants[0], edge.dst);
        continue;
      }
      const auto port = static_cast<size_t>(edge.port);
      if (constants[port] == kNoNode) {
        MR_RETURN_IF_ERROR(add(
            port, graph_.UniqueName(absl::StrCat(r.name, "/output_", port))));
      }
      MR_RETURN_IF_ERROR(graph_.SetInput(graph_.node(edge.dst), edge.dst_port,
                                         {constants[port], 0}));
    }
    return OkStatus();
  }

  // Removes those of `nodes` that nobody needs, and what only they needed.
  void RemoveUnread(std::vector<NodeId> nodes) {
    while (!nodes.empty()) {
      const NodeId id = nodes.back();
      nodes.pop_back();
      const Node* const node = id == kNoNode ? nullptr : graph_.node(id);
      if (node == nullptr || !node->out_edges.empty() ||
          targets_.contains(id) || !(IsUnfed(*node) || pure_(*node))) {
        continue;
      }
      for (const OutputRef& in : node->inputs) nodes.push_back(in.node);
      for (const NodeId wait : node->control_inputs) nodes.push_back(wait);
      graph_.RemoveNode(id);
    }
  }

  Graph& graph_;
  PureNodes pure_;
  const absl::flat_hash_set<NodeId> targets_;
  CpuNodes is_on_cpu_;
};

}  // namespace

Status FoldShapes(const RunSignature& signature, Graph* graph) {
  MR_RETURN_IF_ERROR(ShapeFolder(signature, graph).Run());
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "folding of shapes");
  return OkStatus();
}

}  // namespace millrace
