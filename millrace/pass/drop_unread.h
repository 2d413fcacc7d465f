// DropUnread: leaves out what is computed and read by nobody.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Pruning keeps whatever a target waits for, also through control edges: of
// the gradients that tf.tuple joins, those of inputs that nobody trains are
// computed only to be waited for. Removes from a pruned graph each node whose
// outputs no other node takes as data, unless it is a target, has an effect
// (stateful, a reference or a resource among its inputs, a call of a function)
// or is there to be seen or to fail (Placeholder, Assert, CheckNumerics);
// reads of variables are removed, too. What waited for a removed node waits
// for what that node waited for, so effects keep their order. Graphs of fewer
// than four nodes stay as they are.
Status DropUnread(const RunSignature& signature, Graph* graph);

}  // namespace millrace
