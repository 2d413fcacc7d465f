// Partition: splits a placed graph into one graph per device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/graph/graph.h"

namespace millrace {

struct PartitionOptions {
  // Returns the incarnation of a device, for rendezvous keys.
  std::function<uint64_t(absl::string_view device)> incarnation;
  // Whether float edges between tasks are sent as bfloat16.
  bool bfloat16_sendrecv = false;
};

struct Partition {
  std::string device;  // full name
  Graph graph;
};

// Every edge between devices becomes a _Send/_Recv pair, one per tensor and
// receiving device, also every control edge (with an empty float tensor). In a
// while loop over several devices each other device gets a control loop of its
// own, driven by the loop's condition, so that its receives run once per
// iteration. Requires: every node has an assigned device. The partitions are in
// the order of their first node.
StatusOr<std::vector<Partition>> PartitionGraph(
    const Graph& graph, const PartitionOptions& options);

}  // namespace millrace
