// CommonSubexpressionElimination: common subexpression elimination, which
// computes equal nodes once.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// If pure nodes (pass/pure_nodes.h) of a pruned, placed graph have the same op,
// attributes, device, inputs and control inputs, the readers of the later ones
// read the first one instead. This includes constants of equal values (up to a
// megabyte), and reads of a variable with the same handle and control inputs,
// whose control edges are joined. Nodes that are then neither read nor depended
// on are removed, unless they are targets.
Status EliminateCommonSubexpressions(const RunSignature& signature,
                                     Graph* graph);

}  // namespace millrace
