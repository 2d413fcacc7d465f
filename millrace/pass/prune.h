// Prune: extracts the part of a placed graph that one run needs.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Returns a new graph with the nodes that `signature`'s fetches and targets
// depend on. Inputs of a fed tensor's node are not followed, but control edges
// from that node are kept, unless it is a placeholder. Each feed i becomes _Arg
// nodes with index i, one on each device that consumes it (so its value never
// crosses a link again), each fetch i a _Retval with index i on its producer's
// device. Nodes keep their name, device and kernel attributes; conditionals and
// loops are marked with what is read of them (graph/function/read_results.h).
// NOT_FOUND and
// INVALID_ARGUMENT name the feed, fetch or target; it is an error to fetch a
// fed tensor, or to fetch and run nothing.
StatusOr<Graph> PruneForRun(const Graph& graph, const RunSignature& signature);

}  // namespace millrace
