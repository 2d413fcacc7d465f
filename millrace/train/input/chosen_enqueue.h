// Conditional enqueues. Private to train/.
#pragma once

#include <vector>

#include "millrace/client/queues.h"

namespace millrace::train {

// Returns INVALID_ARGUMENT unless `keep` is a bool scalar or, with
// `enqueue_many`, a vector.
Status CheckKeepInput(const Output& keep, bool enqueue_many);

// Builds an op that enqueues `tensors`, an example or one row per example, if
// `keep` is true; a vector decides for each row.
Operation EnqueueIf(const Scope& scope, const Queue& queue,
                    const std::vector<Output>& tensors, const Output& keep,
                    bool enqueue_many);

}  // namespace millrace::train
