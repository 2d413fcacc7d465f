// Finds the nodes between the xs and the ys of a traversal.
#include <deque>

#include "millrace/client/gradients/backpropagation.h"
#include "millrace/graph/graph.h"

namespace millrace {
namespace {

// Lives for one call.
class Finder {
 public:
  Finder(const Graph& graph, const LoopIndex& index, int loop)
      : graph_(graph),
        index_(index),
        loop_(loop),
        reached_(static_cast<size_t>(graph.num_ids())) {}

  StatusOr<Between> Run(const std::vector<NodeId>& ys,
                        const std::vector<NodeId>& xs) {
    for (NodeId x : xs) Reach(x);
    while (!queue_.empty()) FollowOutputs(*Next());
    between_.nodes.resize(reached_.size());
    for (NodeId y : ys) Visit(y);
    while (!queue_.empty()) {
      const Node& node = *Next();
      found_.push_back(node.id);
      if (node.op->role == OpRole::kStackPop) {
        return Unimplemented(
            "Second-order gradient for while loops not supported: operation '",
            node.name, "' keeps a value for the first\n\t [[{{node ", node.name,
            "}}]]");
      }
      for (const OutputRef& input : node.inputs) Visit(input.node);
    }
    MR_RETURN_IF_ERROR(CountEdges());
    for (NodeId y : ys) {
      if (between_.Has(y)) between_.ys.push_back(UnitOf(y));
    }
    return std::move(between_);
  }

 private:
  const Node* Next() {
    const Node* node = graph_.node(queue_.front());
    queue_.pop_front();
    return node;
  }

  void Reach(NodeId id) {
    if (reached_[static_cast<size_t>(id)]) return;
    reached_[static_cast<size_t>(id)] = true;
    queue_.push_back(id);
  }

  void FollowOutputs(const Node& node) {
    const OpRole kind = node.op->role;
    // The place where an iteration of the traversed loop ends.
    if ((kind == OpRole::kNextIteration || kind == OpRole::kExit) &&
        loop_ != 0 && index_.LoopOf(node.id) == loop_) {
      return;
    }
    if (node.op->role == OpRole::kStackPush) ReachPops(node);
    for (const OutEdge& edge : node.out_edges) {
      if (edge.port == kControlPort) continue;
      if (IsDifferentiable(node.output_types[edge.port])) Reach(edge.dst);
    }
  }

  // A value that is pushed on a stack continues where that is popped.
  void ReachPops(const Node& push) {
    std::vector<bool> seen(reached_.size());
    std::deque<NodeId> handles;
    const auto see = [&](NodeId id) {
      if (id == kNoNode || seen[static_cast<size_t>(id)]) return;
      seen[static_cast<size_t>(id)] = true;
      handles.push_back(id);
    };
    see(push.inputs[0].node);
    while (!handles.empty()) {
      const Node& node = *graph_.node(handles.front());
      handles.pop_front();
      for (const OutputRef& in : node.inputs) {
        if (in.node != kNoNode && graph_.node(in.node)->output_types[in.port] ==
                                      DataType::kResource) {
          see(in.node);
        }
      }
      for (const OutEdge& edge : node.out_edges) {
        if (edge.port == kControlPort ||
            node.output_types[edge.port] != DataType::kResource) {
          continue;
        }
        const Node& user = *graph_.node(edge.dst);
        if (user.op->role == OpRole::kStackPop) {
          Reach(user.id);
        } else if (user.op->role != OpRole::kStackPush) {
          see(user.id);
        }
      }
    }
  }

  void Visit(NodeId id) {
    if (id == kNoNode || !reached_[static_cast<size_t>(id)] || between_.Has(id))
      return;
    between_.nodes[static_cast<size_t>(id)] = true;
    queue_.push_back(id);
  }

  Between::Unit UnitOf(NodeId id) const {
    const bool enters = graph_.node(id)->op->role == OpRole::kEnter;
    int inside = enters ? index_.OutputLoop(id) : index_.LoopOf(id);
    if (index_.Encloses(inside, loop_)) return id;
    while (!index_.Encloses(index_.loop(inside).outer, loop_))
      inside = index_.loop(inside).outer;
    return -1 - inside;
  }

  Status CountEdges() {
    for (NodeId id : found_) {
      const Between::Unit unit = UnitOf(id);
      between_.pending.try_emplace(unit, 0);
      if (unit < 0 && index_.loop(static_cast<int>(-1 - unit)).outer != loop_) {
        return Unimplemented(
            "No gradient, in the body of a loop, through a loop outside of it: "
            "'",
            graph_.node(id)->name, "'");
      }
      for (const OutputRef& input : graph_.node(id)->inputs) {
        if (!between_.Has(input.node)) continue;
        const Between::Unit from = UnitOf(input.node);
        if (from == unit) continue;
        ++between_.pending[from];
        between_.inputs[unit].push_back(from);
      }
    }
    return OkStatus();
  }

  const Graph& graph_;
  const LoopIndex& index_;
  const int loop_;
  std::vector<bool> reached_;
  std::deque<NodeId> queue_;
  std::vector<NodeId> found_;
  Between between_;
};

}  // namespace

bool IsDifferentiable(DataType type) {
  type = RemoveRef(type);
  return IsFloating(type) || IsComplex(type) || type == DataType::kResource ||
         type == DataType::kVariant;
}

StatusOr<Between> FindBetween(const Graph& graph, const LoopIndex& index,
                              int loop, const std::vector<NodeId>& ys,
                              const std::vector<NodeId>& xs) {
  return Finder(graph, index, loop).Run(ys, xs);
}

}  // namespace millrace
