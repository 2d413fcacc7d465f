// The state of a generator that a resource variable holds.
#pragma once

#include <cstdint>

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Where a graph says which algorithm it wants.
enum class AlgorithmAt {
  kInput,  // input 1 of the node
  kState,  // the first element of the variable
};

// Returns the generator that the variable in input 0 holds, and advances the
// variable by `results` of four numbers each. The variable is a vector of
// int64: a counter of two elements and a key, behind the algorithm if it is
// there; further elements are ignored. Returns NOT_FOUND for a variable that
// does not exist or has no value, INVALID_ARGUMENT, with the algorithm under
// the name `philox`, for other variables.
StatusOr<Philox4x32> TakeGenerator(KernelContext& ctx, AlgorithmAt at,
                                   absl::string_view philox, uint64_t results);

// Returns OK for the number of Philox, and for the one that leaves the choice;
// UNIMPLEMENTED for an algorithm that TensorFlow has elsewhere,
// INVALID_ARGUMENT for all others.
Status CheckAlgorithm(int64_t algorithm);

}  // namespace millrace::ops
