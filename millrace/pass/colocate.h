// Colocation: determines which nodes must be on one device.
#pragma once

#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

// Groups of nodes that share state, through the `_class` attribute
// ("loc:@name"), reference edges (a variable and the nodes that update it) and
// edges that carry the handle of a resource made by a stateful node. A
// union-find structure over node ids, which grows with the graph. For one
// thread.
class ColocationGroups {
 public:
  // Adds nodes [first, graph.num_ids()). Returns INVALID_ARGUMENT if a `_class`
  // names a node that is not in the graph.
  Status AddNodes(const Graph& graph, NodeId first);

  // Returns the representative of a node's group.
  NodeId Root(NodeId id) const;
  // Returns why the nodes of a group are together, for error messages: a line
  // for each edge that joined the group.
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
