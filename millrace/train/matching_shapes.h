// For losses and metrics: labels and weights that have to fit to predictions.
// What is known of the shapes while the graph is built is checked.
#pragma once

#include "millrace/base/status.h"
#include "millrace/client/scope.h"
#include "millrace/tensor/shape.h"

namespace millrace::train {

// INVALID_ARGUMENT unless they may be the same.
Status CheckShapes(const PartialShape& labels, const PartialShape& predictions);
// INVALID_ARGUMENT unless `weights` are a number, or have the rank of `values`
// and in each dimension their size or 1.
Status CheckWeights(const PartialShape& weights, const PartialShape& values);

// `x` without its last dimension, of size 1, if it has one dimension more than
// `like`.
Output SqueezedLike(const Scope& scope, const Output& x, const Output& like);
// `weights`, not null, in the shape of `values`, after a last dimension of size
// 1 was taken away or added so that the ranks agree. Null after an error of the
// graph, as CheckWeights gives; what is not known before is checked in the
// step.
Output WeightsOf(const Scope& scope, const Output& weights,
                 const Output& values);

}  // namespace millrace::train
