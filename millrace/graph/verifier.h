// The invariants of a graph, as a table: what every pass may rely on and must
// keep. Debug builds check them after each pass.
#pragma once

#include "absl/types/span.h"
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

struct GraphInvariant {
  const char* name;
  GraphStage from;  // the first stage that demands it
  // OK, or INTERNAL that names a node.
  Status (*check)(const Graph& graph);
};

absl::Span<const GraphInvariant> GraphInvariants();

// The first invariant of `stage` that does not hold: INTERNAL with its name,
// and `after`, the pass that broke it. Takes time in proportion to the graph.
Status VerifyGraph(const Graph& graph, GraphStage stage,
                   absl::string_view after = "");

// In debug builds: aborts where VerifyGraph finds something.
inline void DebugVerifyGraph([[maybe_unused]] const Graph& graph,
                             [[maybe_unused]] GraphStage stage,
                             [[maybe_unused]] absl::string_view after) {
#ifdef MILLRACE_DCHECK
  const Status status = VerifyGraph(graph, stage, after);
  MR_CHECK(status.ok(), status.message());
#endif
}

}  // namespace millrace
