// Regularizers: penalties for large weights.
#pragma once

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

// scale * sum |w|; scale * sum w^2 / 2. A scale below 0 is an error of the
// graph.
Regularizer L1Regularizer(double scale);
Regularizer L2Regularizer(double scale);

// Returns the sum of graph_keys::kRegularizationLosses, a scalar; null if there
// are none.
Output RegularizationLoss(const Scope& scope);

}  // namespace millrace::train
