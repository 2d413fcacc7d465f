// The invariants of a graph, which every pass may rely on and must maintain.
// Debug builds check them after each pass and each partition.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/check.h"
#include "millrace/graph/graph.h"

namespace millrace {

// The stages of a graph; each requires the invariants of the earlier ones.
enum class GraphStage {
  kBuilding,     // inputs may still be missing
  kBuilt,        // complete, no cycles outside loops
  kPlaced,       // every node has a device by its full name
  kPartitioned,  // all nodes on one device
};

// Returns the first invariant of `stage` that does not hold, as INTERNAL with
// its name and `after`, the pass that broke it. Takes time proportional to the
// nodes, edges and attributes of the graph.
Status VerifyGraph(const Graph& graph, GraphStage stage,
                   absl::string_view after = "");

// Aborts if VerifyGraph returns an error, in builds with MILLRACE_DCHECK. A
// pass calls it after it has succeeded, not after an error.
inline void DebugVerifyGraph([[maybe_unused]] const Graph& graph,
                             [[maybe_unused]] GraphStage stage,
                             [[maybe_unused]] absl::string_view after) {
#ifdef MILLRACE_DCHECK
  const Status status = VerifyGraph(graph, stage, after);
  MR_CHECK(status.ok(), status.message());
#endif
}

}  // namespace millrace
