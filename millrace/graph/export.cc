#include "absl/strings/str_cat.h"
#include "millrace/graph/import.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {

NodeDef ExportNode(const Graph& graph, const Node& node) {
  NodeDef def;
  def.name = node.name;
  def.op = node.op->name;
  def.inputs.reserve(node.inputs.size() + node.control_inputs.size());
  for (const OutputRef& in : node.inputs) {
    if (in.node == kNoNode) continue;  // not connected yet
    def.inputs.push_back(
        ShortTensorNameText(graph.node(in.node)->name, in.port));
  }
  for (NodeId src : node.control_inputs) {
    def.inputs.push_back(absl::StrCat("^", graph.node(src)->name));
  }
  def.device = node.assigned_device.empty() ? node.requested_device
                                            : node.assigned_device;
  def.attrs = node.attrs;
  return def;
}

GraphDef ExportGraphDef(const Graph& graph) {
  GraphDef def;
  def.nodes.reserve(static_cast<size_t>(graph.num_nodes()));
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (const Node* node = graph.node(id))
      def.nodes.push_back(ExportNode(graph, *node));
  }
  def.library = graph.library().ToDef();
  def.versions = graph.versions();
  return def;
}

}  // namespace millrace
