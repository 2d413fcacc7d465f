#include "millrace/pass/dead_code_elimination.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/verifier.h"

namespace millrace {
namespace {

// Stock TensorFlow's default: its rewriter does not change smaller graphs.
constexpr int kFewestNodes = 4;
// A removed node with more inputs than this is replaced by a NoOp: edges from
// all of them to all of its followers could be too many.
constexpr size_t kMaxBypassed = 8;

// Returns whether an op outputs or reads a variable.
bool IsOfVariable(const OpDef& op) {
  return op.Is(kGivesVariable) || op.Is(kReadsVariable);
}

bool HasFunction(const Node& node) {
  for (const AttrDef& attr : node.op->attrs) {
    if (attr.kind == "func" || attr.kind == "list(func)") return true;
  }
  return false;
}

bool HasEffect(const Node& node) {
  if (IsOfVariable(*node.op)) return false;
  if (node.op->Is(kStateful) || node.num_outputs() == 0) return true;
  for (const DataType type : node.input_types) {
    if (IsRef(type) || type == DataType::kResource ||
        type == DataType::kVariant) {
      return true;
    }
  }
  return IsControlFlow(node.op->role) || IsBoundary(node.op->role) ||
         node.op->Is(kChecks) || HasFunction(node);
}

// Lives for one call.
class DeadCodeEliminator {
 public:
  DeadCodeEliminator(const RunSignature& signature, Graph* graph)
      : graph_(*graph),
        is_target_(graph->num_ids(), false),
        dropped_(graph->num_ids(), false),
        waits_(graph->num_ids()) {
    for (const std::string& name : signature.targets) {
      const StatusOr<TensorName> target = ParseTensorName(name);
      const Node* node = target.ok() ? graph_.Find(target->node) : nullptr;
      if (node != nullptr) is_target_[node->id] = true;
    }
  }

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    for (auto id = order.rbegin(); id != order.rend(); ++id) Choose(*id);
    std::vector<NodeId> removed;
    for (const NodeId id : order) {
      if (!dropped_[id]) continue;
      MR_RETURN_IF_ERROR(Bypass(id));
      removed.push_back(id);
    }
    graph_.RemoveNodes(removed);
    return OkStatus();
  }

 private:
  // Requires: the followers have been chosen before.
  void Choose(NodeId id) {
    const Node& node = *graph_.node(id);
    if (is_target_[id] || HasEffect(node)) return;
    for (const OutEdge& edge : node.out_edges) {
      if (edge.dst_port != kControlPort && !dropped_[edge.dst]) return;
    }
    for (const OutputRef& in : node.inputs) {
      // On the branch that is not taken only the data edge is dead: nodes with
      // a control edge from this node would not become dead any more.
      if (graph_.node(in.node)->op->role == OpRole::kSwitch) {
        return;
      }
    }
    dropped_[id] = true;
  }

  // Returns whether a node is available from the start, so that no control edge
  // is needed.
  static bool IsTimeless(const Node& node) {
    return node.inputs.empty() && node.control_inputs.empty() &&
           (!node.op->Is(kStateful) || IsOfVariable(*node.op));
  }

  Status Bypass(NodeId id) {
    const Node& node = *graph_.node(id);
    std::vector<NodeId>& waits = waits_[id];
    const auto add = [&](NodeId before) {
      if (dropped_[before]) {
        waits.insert(waits.end(), waits_[before].begin(), waits_[before].end());
      } else if (!IsTimeless(*graph_.node(before))) {
        waits.push_back(before);
      }
    };
    for (const OutputRef& in : node.inputs) add(in.node);
    for (const NodeId control : node.control_inputs) add(control);
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    if (waits.size() > kMaxBypassed) {
      MR_ASSIGN_OR_RETURN(
          Node* const joined,
          graph_.AddNode(graph_.UniqueName(node.name), builtin::kNoOp, {}, {},
                         node.requested_device, waits));
      joined->assigned_device = node.assigned_device;
      waits = {joined->id};
      dropped_.resize(graph_.num_ids(), false);
      waits_.resize(graph_.num_ids());
    }
    const auto edges = graph_.node(id)->out_edges;
    for (const OutEdge& edge : edges) {
      if (edge.dst_port != kControlPort || dropped_[edge.dst]) continue;
      for (const NodeId before : waits_[id]) {
        graph_.AddControlEdge(before, edge.dst);
      }
    }
    return OkStatus();
  }

  Graph& graph_;
  std::vector<bool> is_target_;
  std::vector<bool> dropped_;
  // The nodes on which followers of removed nodes depend instead.
  std::vector<std::vector<NodeId>> waits_;
};

}  // namespace

Status EliminateDeadCode(const RunSignature& signature, Graph* graph) {
  if (graph->num_nodes() < kFewestNodes) return OkStatus();
  MR_RETURN_IF_ERROR(DeadCodeEliminator(signature, graph).Run());
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "dropping of unread nodes");
  return OkStatus();
}

}  // namespace millrace
