// Colocation: determines which nodes must be on one device.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Groups of nodes that share state, through the `_class` attribute
// ("loc:@name"), reference edges (a variable and the nodes that update it) and
// edges that carry the handle of a resource. A union-find structure over node
// ids. For one thread.
class ColocationGroups {
 public:
  // An edge or an attribute that joined two groups.
  struct Joint {
    NodeId a, b;
    const char* why;
    // A reference or a handle comes to `b` from `a`.
    bool is_state_edge;
  };
  // Called when a joint made one group of those that had the roots `root_a` and
  // `root_b`. The lesser of them is the root from then on.
  using OnJoin =
      absl::FunctionRef<Status(const Joint&, NodeId root_a, NodeId root_b)>;

  // Makes the groups of all nodes: first by edges, in the order of the nodes
  // that they lead to, then by all else. Returns INVALID_ARGUMENT if a `_class`
  // names a node that is not in the graph, and the errors of `on_join`.
  Status AddNodes(const Graph& graph, OnJoin on_join);

  // Returns the representative of a node's group.
  NodeId Root(NodeId id) const;
  // Returns why the nodes of a group are together, for error messages: a line
  // for each edge that joined the group.
  std::vector<std::string> Reasons(const Graph& graph, NodeId member) const;

 private:
  Status Union(const Joint& joint, OnJoin on_join);
  Status JoinByEdges(const Node& node, OnJoin on_join);
  Status JoinByRules(const Graph& graph, const Node& node, OnJoin on_join);

  mutable std::vector<NodeId> parent_;
  std::vector<Joint> joints_;
};

}  // namespace millrace
