// FoldShapes: shapes of values that a run cannot compute.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// A run may ask for the shape of what depends on a placeholder that it does not
// feed. Nodes of a pruned, placed graph that ask for shapes alone (their op has
// a rule `ints_of_shapes`) and depend on such a placeholder become constants,
// if the shape functions determine all that they ask for; what nobody reads any
// more is removed. Nodes that depend on control flow are left unchanged, since
// a constant would not be dead on a branch that is not taken. Without the
// pass, each of these runs fails.
Status FoldShapes(const RunSignature& signature, Graph* graph);

}  // namespace millrace
