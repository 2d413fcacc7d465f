// Dropout: while training some values are left out at random (Srivastava et
// al., "Dropout: a simple way to prevent neural networks from overfitting",
// JMLR 2014).
#pragma once

#include <cstdint>
#include <optional>

#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace::train {

struct DropoutOptions {
  std::optional<int64_t> seed;
  // Of the random choices; broadcast to x. Null: x's shape.
  Output noise_shape;
};

// Each value is 0 with probability `rate` (0 to below 1; a tensor may be), else
// scaled by 1 / (1 - rate). x is floating. The numbers are TensorFlow's.
Output Dropout(const Scope& scope, const Output& x, const Input& rate,
               const DropoutOptions& options = {});

}  // namespace millrace::train
