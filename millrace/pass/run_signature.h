// RunSignature: what a run feeds, fetches and targets, by name.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {

// How many kinds of runs a session keeps prepared.
inline constexpr size_t kMaxPreparedRuns = 1000;

// Tensor names "node:port" (port 0 may be left out), node names for targets.
// Plans are cached by this.
struct RunSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;

  friend bool operator==(const RunSignature&, const RunSignature&) = default;
  template <class H>
  friend H AbslHashValue(H h, const RunSignature& s) {
    return H::combine(std::move(h), s.feeds, s.fetches, s.targets);
  }
};

// The output of that name. NOT_FOUND "FetchOutputs node x: not found";
// INVALID_ARGUMENT for a port that the node has not.
StatusOr<OutputRef> FindOutput(const Graph& graph, absl::string_view name,
                               absl::string_view role);

}  // namespace millrace
