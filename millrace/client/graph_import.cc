// Imports a GraphDef into a client's graph, under a prefix and with inputs
// replaced.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/client/client_graph.h"
#include "millrace/client/control_flow_context.h"
#include "millrace/graph/import.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

using InputMap = absl::flat_hash_map<std::string, Output>;

// "x" and "x:0" are one output.
std::string Canonical(absl::string_view input) {
  if (absl::StartsWith(input, "^")) return std::string(input);
  const TensorName name = SplitTensorName(input);
  return TensorNameText(name.node, name.port);
}

std::string Renamed(absl::string_view input, absl::string_view prefix,
                    const InputMap& map) {
  const bool is_control = absl::StartsWith(input, "^");
  const auto found = map.find(Canonical(input));
  if (found != map.end()) {
    return is_control ? absl::StrCat("^", found->second.op().name())
                      : found->second.name();
  }
  return is_control ? absl::StrCat("^", prefix, input.substr(1))
                    : absl::StrCat(prefix, input);
}

// Colocation groups name nodes of the same def.
void RenameColocation(absl::string_view prefix, AttrMap* attrs) {
  auto groups = GetAttr<AttrValue::StringList>(*attrs, "_class");
  if (!groups.ok()) return;
  for (std::string& group : *groups) {
    if (absl::StartsWith(group, "loc:@"))
      group.insert(5, prefix.data(), prefix.size());
  }
  attrs->Set("_class", *std::move(groups));
}

}  // namespace

Status ClientGraph::Import(
    const GraphDef& def, absl::string_view prefix,
    const std::vector<std::pair<std::string, Output>>& input_map) {
  InputMap map;
  for (const auto& [name, output] : input_map) {
    if (output.graph() != this) {
      return InvalidArgument("The input for '", name,
                             "' is not an element of this graph.");
    }
    map[Canonical(name)] = output;
  }
  GraphDef renamed = def;
  if (!prefix.empty() || !map.empty()) {
    for (NodeDef& node : renamed.nodes) {
      node.name = absl::StrCat(prefix, node.name);
      for (std::string& input : node.inputs)
        input = Renamed(input, prefix, map);
      if (!prefix.empty()) RenameColocation(prefix, &node.attrs);
    }
  }
  std::vector<Operation> added;
  {
    MutexLock lock(mu_);
    if (finalized_)
      return FailedPrecondition("Graph is finalized and cannot be modified.");
    const NodeId begin = graph_.num_ids();
    MR_RETURN_IF_ERROR(ImportGraphDef({}, renamed, &graph_));
    if (!def.library.functions.empty()) ++num_functions_;
    for (const NodeDef& node : renamed.nodes) {
      names_.Mark(node.name);
      const Node* added_node = graph_.Find(node.name);
      if (added_node->op->role == OpRole::kCall &&
          added_node->op->name != node.op) {
        called_by_name_.insert(added_node->id);
      }
    }
    MR_RETURN_IF_ERROR(refiner_.AddNewNodes());
    for (NodeId id = begin; context_ != nullptr && id < graph_.num_ids(); ++id)
      added.emplace_back(this, graph_.node(id));
  }
  for (const Operation& op : added) {
    MR_RETURN_IF_ERROR(
        control_flow_context()->AddOp(op, {.scope = std::string(prefix)}));
  }
  return OkStatus();
}

}  // namespace millrace
