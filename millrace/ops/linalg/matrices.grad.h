// Batches of matrices in gradients, which are derived in the papers of Giles
// (2008) and Townsend (2016).
#pragma once

#include <cstdint>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Return a b, a^H b and a b^H.
Output Times(GradContext& g, const Output& a, const Output& b);
Output AdjointTimes(GradContext& g, const Output& a, const Output& b);
Output TimesAdjoint(GradContext& g, const Output& a, const Output& b);

Output AdjointOf(GradContext& g, const Output& x);
// Return x plus its adjoint, and x minus its adjoint.
Output WithAdjoint(GradContext& g, const Output& x);
Output WithoutAdjoint(GradContext& g, const Output& x);

Output HalfOf(GradContext& g, const Output& x);

// Returns the lower triangle with the diagonal, and zeros above it.
Output LowerTriangle(GradContext& g, const Output& x);

// Returns 1 / x, and about 0 where x is about 0.
Output SafeReciprocal(GradContext& g, const Output& x);
// Returns 1 / (x[j] - x[i]) at (i, j), and 0 on the diagonal.
Output InverseDifferences(GradContext& g, const Output& x);

// Return the first `count` columns of matrices, or those after them.
Output FirstColumns(GradContext& g, const Output& x, const Output& count);
Output LastColumns(GradContext& g, const Output& x, const Output& count);

// Returns whether the matrices' sizes are known, and sets them.
bool KnownSizes(const Output& x, int64_t* rows, int64_t* cols);

}  // namespace millrace::ops
