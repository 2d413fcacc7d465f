// Imports a GraphDef into a client's graph, under a prefix and with inputs
// replaced.
#include <algorithm>
#include <set>

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

// Returns the prefix of the scope around the one that `prefix` names: "a/" for
// "a/b/".
std::string ScopeAround(absl::string_view prefix) {
  if (prefix.empty()) return "";
  const size_t slash = prefix.substr(0, prefix.size() - 1).rfind('/');
  return slash == absl::string_view::npos
             ? ""
             : std::string(prefix.substr(0, slash + 1));
}

// Orders nodes so that each comes after its inputs, and those of which either
// may come first as they are. A Merge of a loop comes after what enters. Nodes
// of other cycles, and those with inputs that are not in the def, keep their
// order at the end.
void OrderByInputs(const OpRegistry& ops, std::vector<NodeDef>* nodes) {
  absl::flat_hash_map<absl::string_view, int> by_name;
  const int count = static_cast<int>(nodes->size());
  for (int i = 0; i < count; ++i) by_name.emplace((*nodes)[i].name, i);
  const auto find = [&](const std::string& input) {
    const absl::string_view name = absl::StartsWith(input, "^")
                                       ? absl::string_view(input).substr(1)
                                       : SplitTensorName(input).node;
    const auto found = by_name.find(name);
    return found == by_name.end() ? -1 : found->second;
  };
  const auto has_role = [&](int i, OpRole role) {
    const OpDef* const op = ops.Find((*nodes)[i].op);
    return op != nullptr && op->role == role;
  };
  std::vector<int> pending(nodes->size());
  std::vector<std::vector<int>> users(nodes->size());
  for (int i = 0; i < count; ++i) {
    const bool merges = has_role(i, OpRole::kMerge);
    for (const std::string& input : (*nodes)[i].inputs) {
      const int from = find(input);
      if (from < 0) continue;
      if (merges && has_role(from, OpRole::kNextIteration)) continue;
      users[from].push_back(i);
      ++pending[i];
    }
  }
  std::set<int> ready;
  for (int i = 0; i < count; ++i) {
    if (pending[i] == 0) ready.insert(i);
  }
  std::vector<int> order;
  std::vector<bool> done(nodes->size());
  while (!ready.empty()) {
    const int i = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(i);
    done[i] = true;
    for (int user : users[i]) {
      if (--pending[user] == 0) ready.insert(user);
    }
  }
  if (std::is_sorted(order.begin(), order.end())) return;
  for (int i = 0; i < count; ++i) {
    if (!done[i]) order.push_back(i);
  }
  std::vector<NodeDef> ordered;
  ordered.reserve(nodes->size());
  for (int i : order) ordered.push_back(std::move((*nodes)[i]));
  *nodes = std::move(ordered);
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
  OrderByInputs(ops_, &renamed.nodes);
  std::vector<Operation> added;
  std::shared_ptr<ControlFlowContext> context;
  {
    MutexLock lock(mu_);
    if (finalized_)
      return FailedPrecondition("Graph is finalized and cannot be modified.");
    const NodeId begin = graph_.num_ids();
    // A graph whose shapes contradict each other adds nothing.
    MR_RETURN_IF_ERROR(
        ImportGraphDef({.accept = [this] { return refiner_.AddNewNodes(); }},
                       renamed, &graph_));
    if (!def.library.functions.empty()) ++num_functions_;
    for (const NodeDef& node : renamed.nodes) {
      names_.Mark(node.name);
      const Node* added_node = graph_.Find(node.name);
      if (added_node->op->role == OpRole::kCall &&
          added_node->op->name != node.op) {
        called_by_name_.insert(added_node->id);
      }
    }
    for (NodeId id = begin; !contexts_.empty() && id < graph_.num_ids(); ++id)
      added.emplace_back(this, graph_.node(id));
    context = context_;
  }
  if (context == nullptr) {
    for (const Operation& op : added) {
      for (const Output& input : op.inputs()) {
        if (input) MR_RETURN_IF_ERROR(CheckInputContext(op, input.op()));
      }
    }
    return OkStatus();
  }
  const std::string scope =
      ScopeAround(prefix.empty() ? absl::string_view(context->name()) : prefix);
  for (const Operation& op : added)
    MR_RETURN_IF_ERROR(context->AddOp(op, {.scope = scope}));
  return OkStatus();
}

}  // namespace millrace
