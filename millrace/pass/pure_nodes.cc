#include "millrace/pass/pure_nodes.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace millrace {
namespace {

// Moving an edge iterates over the edges that stay.
constexpr size_t kMaxEdgeVisits = 1 << 20;

bool MayBePure(const OpDef& op) {
  if (op.Is(kStateful) || op.outputs.empty() || IsControlFlow(op.role) ||
      IsPlaceholder(op.role) || op.Is(kChecks) || op.Is(kChangesInput)) {
    return false;
  }
  // Internal ops.
  if (absl::StartsWith(op.name, "_")) return false;
  for (const AttrDef& attr : op.attrs) {
    if (attr.kind == "func" || attr.kind == "list(func)") return false;
  }
  return true;
}

bool ArePlainValues(const DataTypeVector& types) {
  return std::all_of(types.begin(), types.end(),
                     [](DataType t) { return !IsRef(t) && IsPlain(t); });
}

}  // namespace

bool PureNodes::operator()(const Node& node) {
  const auto [it, added] = ops_.try_emplace(node.op, false);
  if (added) it->second = MayBePure(*node.op);
  if (!it->second || node.num_outputs() == 0 ||
      !ArePlainValues(node.input_types) || !ArePlainValues(node.output_types)) {
    return false;
  }
  for (const OutputRef& in : node.inputs) {
    if (in.node == kNoNode ||
        IsRef(graph_.node(in.node)->output_types[in.port])) {
      return false;
    }
  }
  return true;
}

absl::flat_hash_set<NodeId> TargetsOf(const RunSignature& signature,
                                      const Graph& graph) {
  absl::flat_hash_set<NodeId> targets;
  for (const std::string& name : signature.targets) {
    const StatusOr<TensorName> target = ParseTensorName(name);
    const Node* node = target.ok() ? graph.Find(target->node) : nullptr;
    if (node != nullptr) targets.insert(node->id);
  }
  return targets;
}

StatusOr<bool> RedirectReaders(OutputRef from, OutputRef to, Graph* graph) {
  const Node& src = *graph->node(from.node);
  const auto is_reader = [&](const OutEdge& e) {
    return e.dst_port != kControlPort && e.port == from.port;
  };
  const auto readers = static_cast<size_t>(
      std::count_if(src.out_edges.begin(), src.out_edges.end(), is_reader));
  const size_t others = src.out_edges.size() - readers;
  if (others > 0 && readers > kMaxEdgeVisits / others) return false;
  for (size_t i = 0; i < src.out_edges.size();) {
    const OutEdge edge = src.out_edges[i];
    if (!is_reader(edge)) {
      ++i;
      continue;
    }
    // The last edge takes the place of this one.
    MR_RETURN_IF_ERROR(
        graph->SetInput(graph->node(edge.dst), edge.dst_port, to));
  }
  return true;
}

}  // namespace millrace
