// Colocation: which nodes must be on one device.
#pragma once

#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

// Groups of nodes that share state: the `_class` attribute ("loc:@name"),
// reference edges (a variable and what updates it) and edges that carry the
// handle of a resource made by a stateful node. Union-find over node ids;
// grows with the graph. One thread.
class ColocationGroups {
 public:
  // Adds nodes [first, graph.num_ids()). INVALID_ARGUMENT if a `_class` names
  // a node that is not in the graph.
  Status AddNodes(const Graph& graph, NodeId first);

  // The representative of a node's group.
  NodeId Root(NodeId id) const;
  // Why two nodes are together: a line per edge that joined the group, for
  // error messages.
  std::vector<std::string> Reasons(const Graph& graph, NodeId member) const;

 private:
  void Union(NodeId a, NodeId b, const char* why);

  struct Joint {
    NodeId a, b;
    const char* why;
  };
  mutable std::vector<NodeId> parent_;
  std::vector<Joint> joints_;
};

}  // namespace millrace
