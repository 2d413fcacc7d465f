// Finds the values that a while loop takes from outside, after its body has
// been built.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/gradients/loop_nodes.h"

namespace millrace {

// A loop whose nodes are complete except those that take values from outside
// into it: its nodes still have the outside values themselves as inputs.
struct OpenLoop {
  LoopName name;
  std::vector<Output> variables;  // outputs of Merges
  std::vector<Output> in_body;    // outputs "true" of their Switches
  // Other nodes that are inside: the LoopCond and the NextIterations.
  std::vector<Operation> others;
  std::vector<Operation> exits;  // the existing ones
  // Runs once per iteration. Nodes built in the body's scope wait for it.
  Operation pivot;
};

// Everything reachable from the variables and the pivot is inside. Replaces
// each input from outside by `enter(input)`, an output of an Enter of the loop,
// and each control input from outside by the `enter` of a token that waits for
// the same in `outside`. Then removes control edges from the pivot to nodes
// that have a data input from the iteration, which implies the same.
Status TakeInputsInside(const Scope& outside, const OpenLoop& loop,
                        absl::FunctionRef<Output(const Output& input)> enter);

// Returns the nodes inside on which none of `others` and `exits` depends.
std::vector<NodeId> NodesNotNeeded(const ClientGraph& graph,
                                   const OpenLoop& loop);

}  // namespace millrace
