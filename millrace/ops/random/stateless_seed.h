// The position in the stream at which a stateless op begins.
#pragma once

#include "millrace/base/random.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns the generator for a seed of two int32 or int64, which one result of
// Philox scrambles. Returns INVALID_ARGUMENT "seed must have shape [2], not
// ..." for other shapes.
StatusOr<Philox4x32> PhiloxFromSeed(const Tensor& seed);

// Returns the generator for a key [1], a counter [2] (more elements are
// ignored) and an algorithm, which must be Philox's number or the one that
// leaves the choice.
StatusOr<Philox4x32> PhiloxFromKey(const Tensor& key, const Tensor& counter,
                                   const Tensor& algorithm);

// Numbers of algorithms in graphs.
inline constexpr int32_t kPhiloxAlgorithm = 1;
inline constexpr int32_t kAnyAlgorithm = 3;

}  // namespace millrace::ops
