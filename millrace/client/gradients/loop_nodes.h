// The nodes that while loops are made of, for code that builds loops.
#pragma once

#include <string>

#include "millrace/client/ops.h"

namespace millrace {

// A loop while it is built.
struct LoopName {
  std::string frame;  // attribute frame_name, of one loop of the graph
  int64_t parallel_iterations = 10;
};

// Where a value is that enters a loop.
enum class LoopEntry { kFirstIteration, kEachIteration };
// `value` inside of the loop. A reference stays one.
Output EnterLoop(const Scope& scope, const Output& value, const LoopName& loop,
                 LoopEntry entry);

// The Merge of a loop variable that begins as `entered`; its output has
// `shape` in each iteration. NextIteration comes by CloseLoopVariable.
Output OpenLoopVariable(const Scope& scope, const Output& entered,
                        const PartialShape& shape);
// The variable, an output of OpenLoopVariable, goes on with `next`. Gives the
// NextIteration.
Operation CloseLoopVariable(const Scope& scope, const Output& variable,
                            const Output& next);

}  // namespace millrace
