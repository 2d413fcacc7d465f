// Summaries of how full queues are. Private to train/.
#pragma once

#include <string>

#include "millrace/client/queues.h"

namespace millrace::train {

// A scalar summary, tagged by the scope's block and `name`, in the collection
// of summaries.
void AddScalarSummary(const Scope& scope, const std::string& name,
                      const Output& value);
// How much of `capacity` elements above `min_after_dequeue` is in the queue.
void AddFullnessSummary(const Scope& scope, const Queue& queue,
                        const std::string& name, int64_t capacity,
                        int64_t min_after_dequeue = 0);

// `input` as an output: a constant called `name` where it is a value.
Output AsOutput(const Scope& scope, const Input& input, const char* name);
// The block of a function's ops, and a scope for its last op, which has the
// block's own name.
Scope NamedAsBlock(const Scope& block);

}  // namespace millrace::train
