// Rows of gradients where branches meet of which not all have rows.
#pragma once

#include "millrace/client/indexed_slices.h"
#include "millrace/client/scope.h"

namespace millrace::ops {

// Returns all rows of the tensor `x`, in their order, with the types of `like`
// and, if `like` has one, a dense shape. All outputs are alive where `x` is.
IndexedSlices AllRows(const Scope& scope, const Output& x,
                      const IndexedSlices& like);

// Gives `a` and `b` the same types of indices and of dense shapes, and dense
// shapes only if both have one.
void MatchRows(const Scope& scope, IndexedSlices* a, IndexedSlices* b);

}  // namespace millrace::ops
