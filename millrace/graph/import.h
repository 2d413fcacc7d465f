// Converts a GraphDef to a Graph and back.
#pragma once

#include <functional>

#include "millrace/graph/graph.h"

namespace millrace {

struct ImportOptions {
  // Whether nodes may refer to existing nodes of the graph (ExtendSession); if
  // not, the graph must be empty.
  bool extend = true;
  // A graph of a producer newer than kGraphDefVersion may have attributes that
  // our schemas do not know. If set, those with the value of an unused
  // attribute (false, 0, "", empty) are dropped; others are errors. Unknown
  // attributes that begin with '_' are always kept.
  bool drop_unknown_default_attrs = true;
  // Called when all is in the graph, to look at the new nodes; an error of it
  // undoes the import. Null: all are taken.
  std::function<Status()> accept = nullptr;
};

// Adds all nodes and functions of `def` to `graph`, or nothing. Inputs may come
// later in the list than their consumer; a control input that is listed twice
// counts once. Returns INVALID_ARGUMENT that names node and input for:
// duplicate, empty or malformed names, dangling inputs, ports out of range,
// types that do not fit, unknown attributes, cycles outside loops, data inputs
// after control inputs (which stock TensorFlow refuses, too), versions that are
// too new. Returns NOT_FOUND for unknown ops, and UNIMPLEMENTED for ops that
// were removed before the producer's version. Does not recurse; takes time
// proportional to `def`: 1,000,000 nodes take about a second.
Status ImportGraphDef(const ImportOptions& options, const GraphDef& def,
                      Graph* graph);

// Returns the nodes in the order of their ids, with inputs as "node:port" (port
// 0 left out) and the assigned devices, or the requested ones before placement.
GraphDef ExportGraphDef(const Graph& graph);
// Returns one node of it.
NodeDef ExportNode(const Graph& graph, const Node& node);

}  // namespace millrace
