#include "absl/strings/str_cat.h"
#include "millrace/graph/graph.h"

namespace millrace {
namespace {

// The traversal, with the number of unvisited inputs of each node from `begin`
// on.
class Walk {
 public:
  Walk(const Graph& graph, NodeId begin)
      : graph_(graph),
        begin_(begin),
        pending_(static_cast<size_t>(graph.num_ids() - begin)) {}

  StatusOr<std::vector<NodeId>> Run() {
    size_t nodes = 0;
    std::vector<NodeId> order;
    order.reserve(pending_.size());
    for (NodeId id = begin_; id < graph_.num_ids(); ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr) continue;
      ++nodes;
      Pending(id) = CountInputs(*node);
      if (Pending(id) == 0) order.push_back(id);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      const Node& node = *graph_.node(order[i]);
      for (const OutEdge& e : node.out_edges) {
        if (e.dst < begin_) continue;
        if (e.dst_port != kControlPort && IsBackEdge(node, *graph_.node(e.dst)))
          continue;
        if (--Pending(e.dst) == 0) order.push_back(e.dst);
      }
    }
    if (order.size() != nodes) return CycleError();
    return order;
  }

 private:
  int32_t& Pending(NodeId id) {
    return pending_[static_cast<size_t>(id - begin_)];
  }

  int32_t CountInputs(const Node& node) const {
    int32_t count = 0;
    for (NodeId src : node.control_inputs) count += src >= begin_;
    for (const OutputRef& in : node.inputs) {
      count += in.node >= begin_ && !IsBackEdge(*graph_.node(in.node), node);
    }
    return count;
  }

  // Returns an unvisited input of `node`; every unvisited node has one.
  NodeId WaitingInput(const Node& node) {
    for (const OutputRef& in : node.inputs) {
      if (in.node >= begin_ && Pending(in.node) > 0 &&
          !IsBackEdge(*graph_.node(in.node), node)) {
        return in.node;
      }
    }
    for (NodeId src : node.control_inputs) {
      if (src >= begin_ && Pending(src) > 0) return src;
    }
    return kNoNode;
  }

  // Following unvisited inputs from an unvisited node leads into a cycle.
  Status CycleError() {
    NodeId at = begin_;
    while (graph_.node(at) == nullptr || Pending(at) == 0) ++at;
    std::vector<bool> seen(pending_.size());
    while (!seen[at - begin_]) {
      seen[at - begin_] = true;
      const NodeId next = WaitingInput(*graph_.node(at));
      if (next == kNoNode) break;
      at = next;
    }
    return InvalidArgument(
        "Graph is invalid, contains a cycle through node '",
        graph_.node(at)->name,
        "'; only an edge from NextIteration to Merge may close a loop");
  }

  const Graph& graph_;
  const NodeId begin_;
  std::vector<int32_t> pending_;
};

}  // namespace

bool IsBackEdge(const Node& src, const Node& dst) {
  return src.op->role == OpRole::kNextIteration &&
         dst.op->role == OpRole::kMerge;
}

StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph,
                                               NodeId begin) {
  return Walk(graph, begin).Run();
}

}  // namespace millrace
