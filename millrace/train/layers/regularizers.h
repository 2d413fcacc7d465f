// Regularizers: what large weights cost.
#pragma once

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

// scale * sum |w|; scale * sum w^2 / 2. A scale below 0 is an error of the
// graph.
Regularizer L1Regularizer(double scale);
Regularizer L2Regularizer(double scale);

// The sum of graph_keys::kRegularizationLosses, a scalar; null without any.
Output RegularizationLoss(const Scope& scope);

}  // namespace millrace::train
