// GraphDef <-> Graph.
#pragma once

#include "millrace/graph/graph.h"

namespace millrace {

struct ImportOptions {
  // Nodes may refer to nodes that the graph has already (ExtendSession); if
  // not, the graph must be empty.
  bool extend = true;
  // A graph of a producer newer than kGraphDefVersion may have attributes that
  // no schema of ours knows. Those whose value is that of an attribute not
  // used (false, 0, "", empty) are dropped, others are errors. Unknown
  // attributes that begin with '_' are always kept.
  bool drop_unknown_default_attrs = true;
};

// Adds all nodes and functions of `def` to `graph`, or nothing. Inputs may
// come later in the list than their consumer; a control input named twice
// counts once. INVALID_ARGUMENT names node and input for: doubled, empty or
// malformed names, dangling inputs, ports out of range, types that do not fit,
// unknown attributes, cycles outside loops, data inputs after control inputs
// (stock refuses them, too), versions too new. NOT_FOUND: unknown ops.
// UNIMPLEMENTED: ops removed by the version of the producer. No recursion;
// time in proportion to `def`; 1,000,000 nodes take about a second.
Status ImportGraphDef(const ImportOptions& options, const GraphDef& def,
                      Graph* graph);

// In node id order; inputs as "node:port", port 0 left out; devices as
// assigned, or as requested before placement.
GraphDef ExportGraphDef(const Graph& graph);
// One node of it.
NodeDef ExportNode(const Graph& graph, const Node& node);

}  // namespace millrace
