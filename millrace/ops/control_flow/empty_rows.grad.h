// Rows where branches meet of which only some have any.
#pragma once

#include "millrace/client/indexed_slices.h"
#include "millrace/client/scope.h"

namespace millrace::ops {

// No rows of `x`, a tensor or the handle of a variable, with the types of
// `like` and, if that has one, a dense shape. All of it is alive where `x` is.
IndexedSlices EmptyRows(const Scope& scope, const Output& x,
                        const IndexedSlices& like);

// Gives both the same types of indices and of dense shapes, and a dense shape
// only if both have one.
void MatchRows(const Scope& scope, IndexedSlices* a, IndexedSlices* b);

}  // namespace millrace::ops
