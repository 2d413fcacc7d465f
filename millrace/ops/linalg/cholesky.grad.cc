#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {

// Solves the derivative of A = L L^H for that of L, with the factor L and its
// inverse.
MR_GRADIENT(Cholesky)(GradContext& g) {
  const Output l = g.out();
  const Output inverse = MatrixInverse(g, l);
  Output middle = AdjointTimes(g, l, g.dy());
  middle = MatrixSetDiag(g, middle, HalfOf(g, MatrixDiagPart(g, middle)));
  middle = LowerTriangle(g, middle);
  g.Set(0, HalfOf(g, WithAdjoint(g, Times(g, AdjointTimes(g, inverse, middle),
                                          inverse))));
}

}  // namespace millrace::ops
