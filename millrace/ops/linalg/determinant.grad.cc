#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Returns each matrix multiplied by its number.
Output ScaleEach(GradContext& g, const Output& scale, const Output& x) {
  return Mul(g, ExpandDims(g, ExpandDims(g, scale, -1), -1), x);
}

}  // namespace

MR_GRADIENT(MatrixDeterminant)(GradContext& g) {
  const Output inverse = MatrixInverse(g, g.in(0), {.adjoint = true});
  g.Set(0, ScaleEach(g, Mul(g, g.dy(), ConjOf(g, g.out())), inverse));
}

MR_GRADIENT(LogMatrixDeterminant)(GradContext& g) {
  const Output inverse = MatrixInverse(g, g.in(0), {.adjoint = true});
  g.Set(0, ScaleEach(g, g.dy(1), inverse));
}

}  // namespace millrace::ops
