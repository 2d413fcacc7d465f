// DeadCodeElimination: dead-code elimination.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// Pruning keeps all nodes that a target depends on, also through control edges:
// of the gradients that tf.tuple joins, those of inputs that are not trained
// are computed only for their control edges. Dead-code elimination removes from
// a pruned graph each node whose outputs no other node takes as data, unless it
// is a target, has an effect (it is stateful, has a reference or a resource
// among its inputs, or calls a function), or exists to fail (Assert,
// CheckNumerics). Reads of variables are removed, too, and placeholders, which
// need no value then. Nodes with a
// control edge from a removed node get control edges from all of its inputs,
// data and control, so effects keep their order. Graphs of fewer than four
// nodes are left unchanged.
Status EliminateDeadCode(const RunSignature& signature, Graph* graph);

}  // namespace millrace
