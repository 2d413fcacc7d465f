// What a while loop takes from outside, found once its body has been built.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/gradients/loop_nodes.h"

namespace millrace {

// A loop whose nodes are all there, but for what takes values from outside into
// it: those nodes still have the values themselves as inputs.
struct OpenLoop {
  LoopName name;
  std::vector<Output> variables;  // outputs of Merges
  std::vector<Output> in_body;    // outputs "true" of their Switches
  // Other nodes that are inside: the LoopCond and the NextIterations.
  std::vector<Operation> others;
  std::vector<Operation> exits;  // those that are there already
  // Runs once an iteration. What the body's scope builds waits for it.
  Operation pivot;
};

// Everything that can be reached from the variables and the pivot is inside.
// Replaces each input from outside of it by `enter(input)`, an output of an
// Enter of the loop, and a control input by one from `enter` of a token that
// waits in `outside` for the same. Then nodes no longer wait for the pivot
// where a data input tells the same: that an iteration is on.
Status TakeInputsInside(const Scope& outside, const OpenLoop& loop,
                        absl::FunctionRef<Output(const Output& input)> enter);

// Nodes inside on which none of `others` and `exits` depends.
std::vector<NodeId> NodesNotNeeded(const ClientGraph& graph,
                                   const OpenLoop& loop);

}  // namespace millrace
