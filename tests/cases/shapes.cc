#include "tests/cases/shapes.h"

#include "millrace/graph/graph.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace::cases {
namespace {

StatusOr<NodeId> AddFeed(Graph& graph, const BoundFeed& feed, Known known) {
  const DataType type = feed.value.dtype();
  StatusOr<Node*> node;
  if (known == Known::kValues) {
    node = graph.AddNode(feed.name, "Const", {},
                         {{"value", feed.value}, {"dtype", type}});
  } else {
    PartialShape shape;
    if (known == Known::kShapes || known == Known::kSome)
      shape = feed.value.shape();
    if (known == Known::kSome) {
      for (int i = 0; i < shape.rank(); i += 2) shape.set_dim(i, kUnknownDim);
    }
    node = graph.AddNode(feed.name, "Placeholder", {},
                         {{"dtype", type}, {"shape", shape}});
  }
  if (!node.ok()) return node.status();
  return (*node)->id;
}

StatusOr<NodeId> AddVariable(Graph& graph, const BoundVariable& v) {
  MR_ASSIGN_OR_RETURN(
      Node * node,
      graph.AddNode(v.name, v.is_ref ? "VariableV2" : "VarHandleOp", {},
                    {{"dtype", v.value.dtype()},
                     {"shape", PartialShape(v.value.shape())},
                     {"shared_name", v.name}}));
  return node->id;
}

}  // namespace

StatusOr<std::vector<std::vector<PartialShape>>> InferShapes(
    const BoundCase& c, const OpRegistry& ops, Known known) {
  Graph graph(&ops);
  std::vector<NodeId> feeds, variables, nodes;
  for (const BoundFeed& feed : c.feeds) {
    MR_ASSIGN_OR_RETURN(const NodeId id, AddFeed(graph, feed, known));
    feeds.push_back(id);
  }
  for (const BoundVariable& v : c.variables) {
    MR_ASSIGN_OR_RETURN(const NodeId id, AddVariable(graph, v));
    variables.push_back(id);
  }
  for (const BoundNode& n : c.nodes) {
    std::vector<OutputRef> inputs;
    std::vector<NodeId> controls;
    for (const BoundInput& in : n.inputs) {
      const auto& ids = in.kind == Value::Kind::kFed    ? feeds
                        : in.kind == Value::Kind::kNode ? nodes
                                                        : variables;
      inputs.push_back({ids[static_cast<size_t>(in.index)], in.port});
    }
    for (int control : n.control_inputs)
      controls.push_back(nodes[static_cast<size_t>(control)]);
    MR_ASSIGN_OR_RETURN(Node * node,
                        graph.AddNode(n.info.name, n.info.op->name, inputs,
                                      n.info.attrs, "", controls));
    nodes.push_back(node->id);
  }
  ShapeRefiner refiner(&graph);
  MR_RETURN_IF_ERROR(refiner.AddNewNodes());
  std::vector<std::vector<PartialShape>> shapes;
  for (NodeId id : nodes) {
    shapes.emplace_back();
    for (int i = 0; i < graph.node(id)->num_outputs(); ++i) {
      shapes.back().push_back(refiner.shape({id, i}));
    }
  }
  return shapes;
}

}  // namespace millrace::cases
