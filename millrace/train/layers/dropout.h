// Dropout: sets some values to 0 at random during training (Srivastava et al.,
// "Dropout: a simple way to prevent neural networks from overfitting", JMLR
// 2014).
#pragma once

#include <cstdint>
#include <optional>

#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace::train {

struct DropoutOptions {
  std::optional<int64_t> seed;
  // Shape of the random choices, which is broadcast to x. Null: x's shape.
  Output noise_shape;
};

// Sets each value to 0 with probability `rate` (0 to below 1; may be a tensor),
// and scales it by 1 / (1 - rate) otherwise. x is floating-point. The random
// numbers are TensorFlow's.
Output Dropout(const Scope& scope, const Output& x, const Input& rate,
               const DropoutOptions& options = {});

}  // namespace millrace::train
