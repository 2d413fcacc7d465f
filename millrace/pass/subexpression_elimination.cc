#include "millrace/pass/subexpression_elimination.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "millrace/graph/verifier.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

// Limits on the candidates that a node is compared with, and on the constants
// that are compared.
constexpr size_t kMaxCandidates = 4;
constexpr size_t kMaxComparedBytes = 1 << 20;
constexpr size_t kHashedBytes = 64;
// The limit on edges of a shared read.
constexpr size_t kMaxEdges = 1000;

std::vector<NodeId> SortedControls(const Node& node) {
  std::vector<NodeId> controls(node.control_inputs.begin(),
                               node.control_inputs.end());
  std::sort(controls.begin(), controls.end());
  return controls;
}

// Lives for one call.
class SubexpressionEliminator {
 public:
  SubexpressionEliminator(const RunSignature& signature, Graph* graph)
      : graph_(*graph), pure_(*graph), targets_(TargetsOf(signature, *graph)) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    std::vector<NodeId> unread;
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      const bool reads = IsRead(node);
      if (!reads && (!pure_(node) || !IsComparable(node))) continue;
      const NodeId first = Find(node);
      if (first == kNoNode) continue;
      if (reads && !RedirectWaits(node, first)) continue;
      for (int32_t port = 0; port < node.num_outputs(); ++port) {
        MR_RETURN_IF_ERROR(
            RedirectReaders({id, port}, {first, port}, &graph_).status());
      }
      if (node.out_edges.empty() && !targets_.contains(id)) {
        unread.push_back(id);
      }
    }
    graph_.RemoveNodes(unread);
    return OkStatus();
  }

 private:
  // Two reads of a variable with the same control inputs may happen at once, if
  // that also comes before all nodes that depend on either of them.
  static bool IsRead(const Node& node) {
    return node.op->Is(kReadsVariable) &&
           node.input_types[0] == DataType::kResource;
  }

  // Moves the control edges from `node` to `first`. Returns false and does
  // nothing if that would take long.
  bool RedirectWaits(const Node& node, NodeId first) {
    if (node.out_edges.size() > kMaxEdges) return false;
    std::vector<NodeId> waiting;
    for (const OutEdge& edge : node.out_edges) {
      if (edge.dst_port == kControlPort) waiting.push_back(edge.dst);
    }
    for (const NodeId id : waiting) {
      graph_.AddControlEdge(first, id);
      graph_.RemoveControlEdge(node.id, id);
    }
    return true;
  }

  static const Tensor* ConstantOf(const Node& node) {
    const AttrValue* value =
        node.op->role == OpRole::kConstant ? node.attrs.Find("value") : nullptr;
    return value == nullptr ? nullptr : value->get<Tensor>();
  }

  static bool IsComparable(const Node& node) {
    // Among nodes without inputs only constants are known to be equal.
    if (!node.inputs.empty()) return true;
    const Tensor* value = ConstantOf(node);
    return value != nullptr && value->size_bytes() <= kMaxComparedBytes;
  }

  // Attributes of nodes with the same inputs seldom differ, so the hash uses
  // only the value of a constant.
  static size_t HashOf(const Node& node) {
    size_t hash = absl::HashOf(node.op, node.assigned_device, node.inputs,
                               node.control_inputs.size());
    if (const Tensor* value = ConstantOf(node)) {
      const size_t bytes = value->size_bytes();
      const size_t end = std::min(bytes, kHashedBytes);
      hash =
          absl::HashOf(hash, value->dtype(), value->shape().dims(),
                       absl::string_view(value->data(), end),
                       absl::string_view(value->data() + (bytes - end), end));
    }
    return hash;
  }

  // Returns an equal earlier node; if there is none, this one is recorded.
  NodeId Find(const Node& node) {
    auto& candidates = by_hash_[HashOf(node)];
    for (const NodeId id : candidates) {
      const Node& other = *graph_.node(id);
      if (other.op == node.op && other.inputs == node.inputs &&
          other.assigned_device == node.assigned_device &&
          other.attrs == node.attrs &&
          SortedControls(other) == SortedControls(node)) {
        return id;
      }
    }
    if (candidates.size() < kMaxCandidates) candidates.push_back(node.id);
    return kNoNode;
  }

  Graph& graph_;
  PureNodes pure_;
  const absl::flat_hash_set<NodeId> targets_;
  absl::flat_hash_map<size_t, absl::InlinedVector<NodeId, 1>> by_hash_;
};

}  // namespace

Status EliminateCommonSubexpressions(const RunSignature& signature,
                                     Graph* graph) {
  MR_RETURN_IF_ERROR(SubexpressionEliminator(signature, graph).Run());
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "sharing of equal nodes");
  return OkStatus();
}

}  // namespace millrace
