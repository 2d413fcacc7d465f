// RunSignature: the names of a run's feeds, fetches and targets.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {

// The number of prepared run signatures that a session caches.
inline constexpr size_t kMaxPreparedRuns = 1000;

// Tensor names "node:port" (port 0 may be left out); node names for targets.
// The key of the cache of plans.
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

// Returns the output of that name. NOT_FOUND "FetchOutputs node x: not found";
// INVALID_ARGUMENT for a port that the node does not have.
StatusOr<OutputRef> FindOutput(const Graph& graph, absl::string_view name,
                               absl::string_view role);

}  // namespace millrace
