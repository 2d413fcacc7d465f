// Summaries of how full queues are. Private to train/.
#pragma once

#include <string>

#include "millrace/client/queues.h"

namespace millrace::train {

// Adds a scalar summary, tagged by the scope's block and `name`, to the
// collection of summaries.
void AddScalarSummary(const Scope& scope, const std::string& name,
                      const Output& value);
// Summarizes the fraction of `capacity` elements above `min_after_dequeue` that
// is in the queue.
void AddFullnessSummary(const Scope& scope, const Queue& queue,
                        const std::string& name, int64_t capacity,
                        int64_t min_after_dequeue = 0);

// Returns `input` as an output: a constant called `name` if it is a value.
Output AsOutput(const Scope& scope, const Input& input, const char* name);
// Returns, for the block of a function's ops, a scope for its last op, which
// gets the block's own name.
Scope NamedAsBlock(const Scope& block);

}  // namespace millrace::train
