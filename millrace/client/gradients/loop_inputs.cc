#include "millrace/client/gradients/loop_inputs.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace millrace {
namespace {

using Nodes = std::vector<bool>;  // by node id

bool IsNextIteration(const Node& node) {
  return node.op->role == OpRole::kNextIteration;
}

// Follows edges from `roots`, through every output of `whole` nodes, and not
// out of `ends`.
Nodes Reach(const Graph& graph, const std::vector<OutputRef>& roots,
            const std::vector<NodeId>& whole, const Nodes& ends) {
  Nodes reached(static_cast<size_t>(graph.num_ids()));
  std::vector<NodeId> queue;
  const auto reach = [&](NodeId id) {
    if (reached[static_cast<size_t>(id)]) return;
    reached[static_cast<size_t>(id)] = true;
    if (!ends[static_cast<size_t>(id)]) queue.push_back(id);
  };
  for (NodeId id : whole) reach(id);
  for (const OutputRef& root : roots) {
    for (const OutEdge& edge : graph.node(root.node)->out_edges) {
      if (edge.port == root.port) reach(edge.dst);
    }
  }
  while (!queue.empty()) {
    const Node& node = *graph.node(queue.back());
    queue.pop_back();
    for (const OutEdge& edge : node.out_edges) reach(edge.dst);
  }
  return reached;
}

bool Enters(const Node& node, const std::string& frame) {
  if (node.op->role != OpRole::kEnter) return false;
  const auto name = GetAttr<std::string>(node.attrs, "frame_name");
  return name.ok() && *name == frame;
}

struct InputEdge {
  NodeId node;
  int32_t port;  // kControlPort: waits for `from`
  OutputRef from;
};

// Lives for one call.
class Finder {
 public:
  Finder(const Graph& graph, const OpenLoop& loop)
      : graph_(graph), loop_(loop), variables_(None()), exits_(None()) {
    for (const Output& variable : loop.variables)
      variables_[Index(variable.ref().node)] = true;
    for (const Operation& op : loop.exits) exits_[Index(op.node()->id)] = true;
  }

  // Returns the inputs of nodes inside that come from outside.
  std::vector<InputEdge> InputsFromOutside() const {
    const Nodes inside = Inside();
    const auto is_inside = [&](NodeId id) {
      return inside[Index(id)] || variables_[Index(id)] ||
             Enters(*graph_.node(id), loop_.name.frame);
    };
    std::vector<InputEdge> edges;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!inside[Index(id)] || variables_[Index(id)]) continue;
      const Node& node = *graph_.node(id);
      for (int32_t port = 0; port < node.num_inputs(); ++port) {
        const OutputRef& in = node.inputs[port];
        if (in.node != kNoNode && !is_inside(in.node))
          edges.push_back({id, port, in});
      }
      for (NodeId control : node.control_inputs) {
        if (!is_inside(control))
          edges.push_back({id, kControlPort, {control, kControlPort}});
      }
    }
    return edges;
  }

  // Returns the nodes inside on which no next iteration and no exit depends.
  std::vector<NodeId> NotNeeded() const {
    Nodes needed = None();
    std::vector<NodeId> queue;
    const auto need = [&](NodeId id) {
      if (id == kNoNode || needed[Index(id)]) return;
      needed[Index(id)] = true;
      queue.push_back(id);
    };
    for (const Operation& op : loop_.others) need(op.node()->id);
    for (const Operation& op : loop_.exits) need(op.node()->id);
    while (!queue.empty()) {
      const Node& node = *graph_.node(queue.back());
      queue.pop_back();
      for (const OutputRef& in : node.inputs) need(in.node);
      for (NodeId control : node.control_inputs) need(control);
    }
    const Nodes inside = Inside();
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (inside[Index(id)] && !needed[Index(id)]) nodes.push_back(id);
    }
    return nodes;
  }

  // Returns the nodes that need not wait for the pivot: a data input is dead if
  // the iteration does not run.
  std::vector<NodeId> NeedNoPivot() const {
    std::vector<OutputRef> live;
    for (const Output& value : loop_.in_body) live.push_back(value.ref());
    const NodeId pivot = loop_.pivot.node()->id;
    Nodes ends = None();
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      const Node* node = graph_.node(id);
      ends[Index(id)] = node && IsNextIteration(*node);
    }
    const Nodes reached = Reach(graph_, live, {pivot}, ends);
    const auto tells = [&](const OutputRef& in) {
      return in.node != kNoNode &&
             (reached[Index(in.node)] ||
              std::find(live.begin(), live.end(), in) != live.end());
    };
    std::vector<NodeId> nodes;
    for (const OutEdge& edge : graph_.node(pivot)->out_edges) {
      if (edge.dst_port != kControlPort) continue;
      const Node& node = *graph_.node(edge.dst);
      const bool any =
          std::any_of(node.inputs.begin(), node.inputs.end(), tells);
      const bool all =
          std::all_of(node.inputs.begin(), node.inputs.end(), tells);
      if (node.op->role == OpRole::kMerge ? any && all : any)
        nodes.push_back(edge.dst);
    }
    return nodes;
  }

 private:
  static size_t Index(NodeId id) { return static_cast<size_t>(id); }
  Nodes None() const { return Nodes(static_cast<size_t>(graph_.num_ids())); }

  Nodes Inside() const {
    std::vector<OutputRef> roots;
    std::vector<NodeId> whole = {loop_.pivot.node()->id};
    for (const Output& variable : loop_.variables)
      roots.push_back(variable.ref());
    for (const Operation& op : loop_.others) whole.push_back(op.node()->id);
    return Reach(graph_, roots, whole, exits_);
  }

  const Graph& graph_;
  const OpenLoop& loop_;
  Nodes variables_;
  Nodes exits_;
};

}  // namespace

Status TakeInputsInside(const Scope& outside, const OpenLoop& loop,
                        absl::FunctionRef<Output(const Output& input)> enter) {
  MR_RETURN_IF_ERROR(outside.status());
  ClientGraph& graph = outside.graph();
  const auto operation = [&](NodeId id) {
    Operation found;
    graph.Read([&](const Graph& g) { found = Operation(&graph, g.node(id)); });
    return found;
  };
  std::vector<InputEdge> edges;
  graph.Read(
      [&](const Graph& g) { edges = Finder(g, loop).InputsFromOutside(); });
  absl::flat_hash_map<OutputRef, Output> taken;
  for (const InputEdge& edge : edges) {
    const Operation from = operation(edge.from.node);
    Output& inside = taken[edge.from];
    if (!inside) {
      inside = enter(
          edge.port != kControlPort
              ? from.output(edge.from.port)
              : ops::Const(
                    outside.WithControlDependencies({from}).WithOpName("token"),
                    0));
      MR_RETURN_IF_ERROR(outside.status());
    }
    const Operation node = operation(edge.node);
    if (edge.port == kControlPort) {
      graph.RemoveControlInput(node, from);
      graph.AddControlInput(node, inside.op());
    } else {
      MR_RETURN_IF_ERROR(graph.SetInput(node, edge.port, inside));
    }
  }
  std::vector<NodeId> free;
  graph.Read([&](const Graph& g) { free = Finder(g, loop).NeedNoPivot(); });
  for (NodeId id : free) graph.RemoveControlInput(operation(id), loop.pivot);
  return OkStatus();
}

std::vector<NodeId> NodesNotNeeded(const ClientGraph& graph,
                                   const OpenLoop& loop) {
  std::vector<NodeId> nodes;
  graph.Read([&](const Graph& g) { nodes = Finder(g, loop).NotNeeded(); });
  return nodes;
}

}  // namespace millrace
