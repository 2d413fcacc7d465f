// For losses and metrics.
#pragma once

#include "millrace/client/ops.h"

namespace millrace::train {

// Returns the sum of all elements, of any rank, as a scalar.
inline Output SumOfAll(const Scope& scope, const Output& x) {
  return ops::Sum(scope, ops::Reshape(scope, x, {-1}), {0});
}

}  // namespace millrace::train
