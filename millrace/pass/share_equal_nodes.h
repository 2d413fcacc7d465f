// ShareEqualNodes: computes equal nodes once.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Of pure nodes (pass/pure_nodes.h) of a pruned, placed graph with the same op,
// attributes, device, inputs and control inputs, readers of the later ones read
// the first one; constants with equal values are such nodes, too (up to a
// megabyte). So do reads of a variable with the same handle and control inputs,
// and who waits for one waits for both. What nobody reads or waits for then
// goes, unless it is a target.
Status ShareEqualNodes(const RunSignature& signature, Graph* graph);

}  // namespace millrace
