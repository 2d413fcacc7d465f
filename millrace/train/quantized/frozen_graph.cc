#include "millrace/train/quantized/frozen_graph.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/client/client_graph.h"
#include "millrace/train/quantized/input_names.h"
#include "millrace/train/quantized/op_types.h"

namespace millrace::train {
namespace {

bool IsStoredVariable(const NodeDef& node) {
  return node.op == op_types::kVariable || node.op == op_types::kVariableV2 ||
         node.op == op_types::kHandle;
}

// Returns the tensor that has the value of a variable.
StatusOr<Output> FrozenValueOf(const ClientGraph& graph, const GraphDef& all,
                               const NodeDef& variable) {
  if (variable.op != op_types::kHandle) return graph.FindOutput(variable.name);
  for (const NodeDef& node : all.nodes) {
    // One that waits for nothing, such as an update.
    if (node.op == op_types::kRead && node.inputs.size() == 1 &&
        NodeOfInput(node.inputs[0]) == variable.name) {
      return graph.FindOutput(node.name);
    }
  }
  return InvalidArgument("the graph has no ReadVariableOp of the variable ",
                         variable.name);
}

// Returns INVALID_ARGUMENT if a node takes a reference to one of the variables,
// which a constant does not have.
Status CheckTakesValues(const OpRegistry& ops, const NodeDef& node,
                        const absl::flat_hash_map<std::string, size_t>& place) {
  const OpDef* const op = ops.Find(node.op);
  if (op == nullptr) return OkStatus();  // a function, which takes values
  MR_ASSIGN_OR_RETURN(const DataTypeVector types,
                      ArgTypes(op->inputs, node.attrs));
  for (size_t i = 0; i < types.size() && i < node.inputs.size(); ++i) {
    const std::string variable = NodeOfInput(node.inputs[i]);
    if (!IsRef(types[i]) || !place.contains(variable)) continue;
    return InvalidArgument("node ", node.name, " (", node.op,
                           ") takes a reference to the variable ", variable,
                           ": a frozen graph has only reads of variables");
  }
  return OkStatus();
}

AttrValue FrozenAttr(const NodeDef& node, absl::string_view name) {
  const AttrValue* const value = node.attrs.Find(name);
  return value == nullptr ? AttrValue() : *value;
}

// Makes a node that uses a variable's handle one that uses its value.
Status UseValue(const std::string& variable, NodeDef* node) {
  if (node->op == op_types::kRead) {
    node->op = op_types::kIdentity;
    node->attrs = {{"T", FrozenAttr(*node, "dtype")}};
    return OkStatus();
  }
  const auto batch_dims = GetAttr<int64_t>(node->attrs, "batch_dims");
  if (node->op == op_types::kResourceGather &&
      !(batch_dims.ok() && *batch_dims != 0)) {
    node->op = op_types::kGather;
    node->attrs = {{"Tparams", FrozenAttr(*node, "dtype")},
                   {"Tindices", FrozenAttr(*node, "Tindices")}};
    return OkStatus();
  }
  return InvalidArgument("node ", node->name, " (", node->op,
                         ") uses the variable ", variable,
                         ": a frozen graph has only reads of variables, and "
                         "gathers without batch dimensions");
}

}  // namespace

GraphDef NeededNodes(const GraphDef& graph,
                     const std::vector<std::string>& names) {
  absl::flat_hash_map<std::string, const NodeDef*> by_name;
  for (const NodeDef& node : graph.nodes) by_name[node.name] = &node;
  absl::flat_hash_set<std::string> needed;
  std::vector<std::string> waiting = names;
  while (!waiting.empty()) {
    std::string name = std::move(waiting.back());
    waiting.pop_back();
    const auto found = by_name.find(name);
    if (found == by_name.end() || !needed.insert(name).second) continue;
    for (const std::string& input : found->second->inputs) {
      waiting.push_back(NodeOfInput(input));
    }
  }
  GraphDef part;
  part.library = graph.library;
  part.versions = graph.versions;
  for (const NodeDef& node : graph.nodes) {
    if (needed.contains(node.name)) part.nodes.push_back(node);
  }
  return part;
}

StatusOr<GraphDef> FreezeGraph(Session& session,
                               const std::vector<Output>& outputs) {
  const ClientGraph& graph = *session.graph();
  if (outputs.empty()) {
    return InvalidArgument("no output: name what the network is for");
  }
  std::vector<std::string> names;
  for (const Output& output : outputs) {
    if (!output || output.graph() != &graph) {
      return InvalidArgument("output ", names.size(),
                             " is not an element of the session's graph");
    }
    names.push_back(output.op().name());
  }
  const GraphDef all = graph.Export();
  GraphDef frozen = NeededNodes(all, names);
  std::vector<Output> fetches;
  absl::flat_hash_map<std::string, size_t> place;  // in the fetches
  for (const NodeDef& node : frozen.nodes) {
    if (!IsStoredVariable(node)) continue;
    MR_ASSIGN_OR_RETURN(const Output value, FrozenValueOf(graph, all, node));
    place[node.name] = fetches.size();
    fetches.push_back(value);
  }
  if (fetches.empty()) return frozen;
  for (const NodeDef& node : frozen.nodes) {
    MR_RETURN_IF_ERROR(CheckTakesValues(graph.ops(), node, place));
  }
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session.Run(fetches));
  absl::flat_hash_set<std::string> handles;
  for (NodeDef& node : frozen.nodes) {
    const auto found = place.find(node.name);
    if (found == place.end()) continue;
    if (node.op == op_types::kHandle) handles.insert(node.name);
    const Tensor& value = values[found->second];
    node.op = op_types::kConst;
    node.inputs.clear();
    node.attrs = {{"dtype", value.dtype()}, {"value", value}};
  }
  for (NodeDef& node : frozen.nodes) {
    for (const std::string& input : node.inputs) {
      const std::string from = NodeOfInput(input);
      if (handles.contains(from) && !IsControlInput(input)) {
        MR_RETURN_IF_ERROR(UseValue(from, &node));
        break;
      }
    }
  }
  return frozen;
}

}  // namespace millrace::train
