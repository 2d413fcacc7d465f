// JoinUnits: which units of elementwise nodes run together, though others read
// what is between them.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

// Nodes of a graph of which some are in units, each of nodes of one device of
// which nobody reads or waits for any but the last.
struct NodeUnits {
  static constexpr int32_t kNone = -1;

  std::vector<std::vector<NodeId>> units;  // in each, inputs come first
  std::vector<int32_t> of_node;            // by node; or kNone
};

// Lists of units, by number; every unit is in one. Units of a list have their
// place in an order in which inputs come first. Two are in one list if one
// reads the other, or both read what another node has computed, and
//   - no path leads out of the list and back into it, or between two lists both
//     ways;
//   - they wait for the same (start_sources.h).
// A list has `most_members` nodes at most, or one unit. `order`: of the graph's
// nodes, inputs first.
std::vector<std::vector<int32_t>> JoinUnits(const Graph& graph,
                                            const std::vector<NodeId>& order,
                                            const NodeUnits& units,
                                            size_t most_members);

}  // namespace millrace
