// FreezeGraph: a network with the values of its variables as constants.
#pragma once

#include <string>
#include <vector>

#include "millrace/client/session.h"
#include "millrace/graph/graph_def.h"

namespace millrace::train {

// Returns the nodes of the session's graph that `outputs` need, in their order
// and under their names, in which variables, of both kinds, are constants with
// the session's values. INVALID_ARGUMENT for an output of another graph, for
// none, for a resource variable that is used by something else than reads and
// gathers, and for a node that takes a reference to a variable, such as one
// that updates it; errors of the run that reads the values, such as
// FAILED_PRECONDITION for a variable without one.
StatusOr<GraphDef> FreezeGraph(Session& session,
                               const std::vector<Output>& outputs);

// Returns the part of a graph that these nodes need, with all functions.
// Requires: the graph has them.
GraphDef NeededNodes(const GraphDef& graph,
                     const std::vector<std::string>& names);

}  // namespace millrace::train
