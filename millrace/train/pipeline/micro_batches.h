// MicroBatches: cuts a batch into smaller ones of one size.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/client/scope.h"

namespace millrace::train {

// Cuts each of `tensors` [batch, ...] into `count` parts along its first
// dimension, where the scope says, and returns the tensors of each micro-batch.
// No tensor, a scalar, a count below 1, and a batch that is known not to be
// divisible by it are errors of the graph, INVALID_ARGUMENT, after which the
// result is empty; a batch that turns out so fails the run.
std::vector<std::vector<Output>> MicroBatches(
    const Scope& scope, const std::vector<Output>& tensors, int64_t count);

// Returns the tensors of the whole batch, concatenated where the scope says.
// Empty after an error of the graph, such as a scalar among the tensors.
std::vector<Output> WholeBatch(
    const Scope& scope, const std::vector<std::vector<Output>>& micro_batches);

}  // namespace millrace::train
