#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// Entries that are not in row-major order would give values in another order
// than the inputs'; as in stock, they are assumed to be in that order.
MR_GRADIENT(SparseSoftmax)(GradContext& g) {
  const Output y = g.out();
  const Output sums = SparseReduceSum(g, g.in(0), Mul(g, g.dy(), y), g.in(2),
                                      {-1}, {.keep_dims = true});
  const Output difference =
      SparseDenseCwiseAdd(g, g.in(0), g.dy(), g.in(2), Neg(g, sums));
  g.Set(1, Mul(g, difference, y));
}

}  // namespace millrace::ops
