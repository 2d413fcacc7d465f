// Builds the nodes of while loops, for code that builds loops.
#pragma once

#include <string>

#include "millrace/client/ops.h"

namespace millrace {

// A loop under construction.
struct LoopName {
  std::string frame;  // attribute frame_name, unique in the graph
  int64_t parallel_iterations = 10;
};

// When a value that enters a loop is available.
enum class LoopEntry { kFirstIteration, kEachIteration };
// Returns `value` inside of the loop. A reference stays a reference.
Output EnterLoop(const Scope& scope, const Output& value, const LoopName& loop,
                 LoopEntry entry);

// Returns the Merge of a loop variable that begins as `entered`; its output has
// `shape` in each iteration. CloseLoopVariable adds the NextIteration.
Output OpenLoopVariable(const Scope& scope, const Output& entered,
                        const PartialShape& shape);
// Makes `next` the next value of the variable, an output of OpenLoopVariable.
// Returns the NextIteration.
Operation CloseLoopVariable(const Scope& scope, const Output& variable,
                            const Output& next);

}  // namespace millrace
