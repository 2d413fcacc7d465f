// Client edges: how feeds and fetches of a run reach a task's partition.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph_def.h"

namespace millrace {

// One feed or fetch of a run at one device.
struct ClientEdge {
  int index = 0;    // index of the feed, or of the fetch, in the run
  std::string key;  // of the step's rendezvous
  // The value travels as bfloat16 (enable_bfloat16_sendrecv).
  bool narrow = false;
};

struct ClientEdges {
  std::vector<ClientEdge> feeds;
  std::vector<ClientEdge> fetches;
};

// Turns each _Arg of `def` into a _Recv, and each _Retval into a _Send, with
// `client_terminated` and the node's own device at both ends, so that values
// travel in RunGraph itself (its `send` and `recv_key`), with workers of any
// make. `incarnation` is that of `device`, where all nodes from index `first`
// on are. With `narrow`, floats travel as bfloat16. Appends the edges to
// `edges`.
Status TerminateAtClient(GraphDef* def, size_t first, const std::string& device,
                         uint64_t incarnation, bool narrow, ClientEdges* edges);

}  // namespace millrace
