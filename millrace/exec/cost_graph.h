// ToCostGraph: what the nodes of a step cost, with the graph that they are in,
// for GraphOptions.build_cost_model.
#pragma once

#include "millrace/exec/plan_set.h"
#include "millrace/exec/step_stats.h"
#include "millrace/protocol/step_stats.h"

namespace millrace {

// Each plan of `plans` has a node "_SOURCE", a node "_SINK" and then its own,
// numbered from 0 on over all plans. A node's cost is that of its longest run
// in `events`, which must be those of a collector that keeps all; outputs of a
// node that did not run have unknown sizes and shapes.
CostGraph ToCostGraph(const StepEvents& events, const PlanSet& plans);

}  // namespace millrace
