// Prune: the part of a placed graph that one run needs.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// A new graph with the nodes that `signature`'s fetches and targets depend on;
// what is above a fed tensor is cut off, but who waits for its node by a
// control edge still does, unless that is a placeholder. Each feed i becomes
// _Arg nodes of index i, one on each device that consumes it (so their values
// never cross a link again), each fetch i a _Retval of index i on its
// producer's device. Nodes keep name, device and kernel attributes. NOT_FOUND
// and INVALID_ARGUMENT name the feed, fetch or target; what is fed cannot be
// fetched, nor can nothing be.
StatusOr<Graph> PruneForRun(const Graph& graph, const RunSignature& signature);

}  // namespace millrace
