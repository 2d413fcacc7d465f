// Client edges: how feeds and fetches of a run reach a task's partition.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph_def.h"

namespace millrace {

// One feed or fetch of a run at one device.
struct ClientEdge {
  int index = 0;    // which feed, or which fetch, of the run
  std::string key;  // of the step's rendezvous
  // The value travels as bfloat16 (enable_bfloat16_sendrecv).
  bool narrow = false;
};

struct ClientEdges {
  std::vector<ClientEdge> feeds;
  std::vector<ClientEdge> fetches;
};

// Makes each _Arg of `def` a _Recv, and each _Retval a _Send, with
// `client_terminated` and the node's own device as both ends, so that values
// travel in RunGraph itself (its `send` and `recv_key`) with workers of any
// make. `incarnation` is that of `device`, where all nodes from `first` on are.
// With `narrow`, floats travel as bfloat16. The edges are added to `edges`.
Status TerminateAtClient(GraphDef* def, size_t first, const std::string& device,
                         uint64_t incarnation, bool narrow, ClientEdges* edges);

}  // namespace millrace
