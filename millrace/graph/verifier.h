// The invariants of a graph: what every pass may rely on and must keep. Debug
// builds check them behind each pass and each partition.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/check.h"
#include "millrace/graph/graph.h"

namespace millrace {

// How far a graph has come; each stage demands what the earlier ones do.
enum class GraphStage {
  kBuilding,     // inputs may still be missing
  kBuilt,        // complete, no cycles outside loops
  kPlaced,       // every node has a device by its full name
  kPartitioned,  // all nodes on one device
};

// The first invariant of `stage` that does not hold: INTERNAL with its name,
// and `after`, the pass that broke it. Takes time in proportion to the nodes,
// edges and attributes of the graph.
Status VerifyGraph(const Graph& graph, GraphStage stage,
                   absl::string_view after = "");

// In builds with MILLRACE_DCHECK: aborts where VerifyGraph finds something. A
// pass calls it when it has done its work, not when it has found an error.
inline void DebugVerifyGraph([[maybe_unused]] const Graph& graph,
                             [[maybe_unused]] GraphStage stage,
                             [[maybe_unused]] absl::string_view after) {
#ifdef MILLRACE_DCHECK
  const Status status = VerifyGraph(graph, stage, after);
  MR_CHECK(status.ok(), status.message());
#endif
}

}  // namespace millrace
