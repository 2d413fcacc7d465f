#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Returns the Kronecker products of n x n matrices, n^2 x n^2 each.
Output Kronecker(GradContext& g, const Output& a, const Output& b,
                 const Output& shape) {
  return Reshape(g, Einsum(g, {a, b}, "...ij,...kl->...ikjl"), shape);
}

}  // namespace

// From R R = A follows R^H X + X R^H = dR for the gradient X of A, a system of
// n^2 equations.
MR_GRADIENT(MatrixSquareRoot)(GradContext& g) {
  const Output r = g.out();
  const Output shape = ShapeOf(g, r);
  const Output n = Element(g, shape, -1);
  const Output n2 = Mul(g, n, n);
  const Output batch = Part(g, shape, 0, -2);
  const Output square = ConcatV2(g, {batch, Pack(g, {n2, n2})}, 0);
  const Output column =
      ConcatV2(g, {batch, Pack(g, {n2, Output(Const(g, 1))})}, 0);
  const Output one = MatrixDiag(g, OnesLike(g, MatrixDiagPart(g, r)));
  const Output sum = AddV2(g, Kronecker(g, AdjointOf(g, r), one, square),
                           Kronecker(g, one, ConjOf(g, r), square));
  g.Set(0, Reshape(g, MatrixSolve(g, sum, Reshape(g, g.dy(), column)), shape));
}

}  // namespace millrace::ops
