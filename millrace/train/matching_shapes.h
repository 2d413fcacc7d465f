// For losses and metrics: matches labels and weights to predictions. Checks
// what is known of the shapes while the graph is built.
#pragma once

#include "millrace/base/status.h"
#include "millrace/client/scope.h"
#include "millrace/tensor/shape.h"

namespace millrace::train {

// Returns INVALID_ARGUMENT unless they may be the same.
Status CheckShapes(const PartialShape& labels, const PartialShape& predictions);
// Returns INVALID_ARGUMENT unless `weights` are a number, or have the rank of
// `values` and in each dimension their size or 1.
Status CheckWeights(const PartialShape& weights, const PartialShape& values);

// Returns `x` without its last dimension, of size 1, if it has one dimension
// more than `like`.
Output SqueezedLike(const Scope& scope, const Output& x, const Output& like);
// Returns `weights`, not null, broadcast to the shape of `values`, after
// removing or adding a last dimension of size 1 so that the ranks agree. Null
// after an error of the graph, as CheckWeights returns it; sizes that are
// unknown then are checked in the step.
Output WeightsOf(const Scope& scope, const Output& weights,
                 const Output& values);

}  // namespace millrace::train
