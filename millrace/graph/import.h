// GraphDef <-> Graph.
#pragma once

#include "millrace/graph/graph.h"

namespace millrace {

struct ImportOptions {
  // Nodes may refer to nodes that the graph has already (ExtendSession).
  bool extend = true;
  // A stock master strips attributes equal to the default; unknown attributes
  // that begin with '_' are always kept.
  bool drop_unknown_default_attrs = true;
};

// Adds all nodes and functions of `def` to `graph`, or nothing. Inputs may
// come later in the list than their consumer. INVALID_ARGUMENT names node and
// input for: doubled or empty names, dangling or doubled inputs, ports out of
// range, types that do not fit, unknown ops and attributes, cycles outside
// loops, control inputs before data inputs, versions too new. No recursion;
// 1,000,000 nodes are fine.
Status ImportGraphDef(const ImportOptions& options, const GraphDef& def,
                      Graph* graph);

// In node id order; inputs as "node:port", port 0 left out.
GraphDef ExportGraphDef(const Graph& graph);
// One node of it.
NodeDef ExportNode(const Graph& graph, const Node& node);

}  // namespace millrace
