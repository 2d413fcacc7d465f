// Rows of gradients where branches meet that do not all have any.
#pragma once

#include "millrace/client/indexed_slices.h"
#include "millrace/client/scope.h"

namespace millrace::ops {

// Returns no rows of `x`, a tensor or the handle of a variable, with the types
// of `like` and, if `like` has one, a dense shape. All outputs are alive where
// `x` is.
IndexedSlices EmptyRows(const Scope& scope, const Output& x,
                        const IndexedSlices& like);

// Gives `a` and `b` the same types of indices and of dense shapes, and dense
// shapes only if both have one.
void MatchRows(const Scope& scope, IndexedSlices* a, IndexedSlices* b);

}  // namespace millrace::ops
