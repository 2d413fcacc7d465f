// JoinUnits: determines which units of elementwise nodes run together although
// other nodes read values between them.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

// Nodes of a graph, some of which are in units. The nodes of a unit are on one
// device, and only its last node is read or depended on by other nodes.
struct NodeUnits {
  static constexpr int32_t kNone = -1;

  std::vector<std::vector<NodeId>> units;  // each in topological order
  std::vector<int32_t> of_node;            // by node; or kNone
};

// Returns lists of units, by index; every unit is in exactly one list. The
// units of a list are in topological order. Two units are in one list if one
// reads the other, or both read a value that another node has computed, and
//   - no path leads out of the list and back into it, or between two lists in
//   both directions;
//   - they have the same start sources (start_sources.h).
// A list has at most `max_members` nodes, or one unit. `order` is a
// topological order of the graph's nodes.
std::vector<std::vector<int32_t>> JoinUnits(const Graph& graph,
                                            const std::vector<NodeId>& order,
                                            const NodeUnits& units,
                                            size_t max_members);

}  // namespace millrace
