#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Returns x with the regularizer on its diagonal.
Output Regularized(GradContext& g, const Output& gram) {
  const Output ones = OnesLike(g, MatrixDiagPart(g, gram));
  return AddV2(g, gram,
               MatrixDiag(g, Mul(g, ones, Cast(g, g.in(2), gram.dtype()))));
}

// x = (A^H A + l2)^-1 A^H b.
void TallGradient(GradContext& g) {
  const Output &a = g.in(0), &b = g.in(1);
  const Output z =
      MatrixSolve(g, Regularized(g, AdjointTimes(g, a, a)), g.dy());
  const Output both = WithAdjoint(g, TimesAdjoint(g, g.out(), z));
  g.Set(0, Sub(g, TimesAdjoint(g, b, z), Times(g, a, both)));
  g.Set(1, Times(g, a, z));
}

// x = A^H (A A^H + l2)^-1 b.
void WideGradient(GradContext& g) {
  const Output &a = g.in(0), &b = g.in(1);
  const Output gram = Regularized(g, TimesAdjoint(g, a, a));
  const Output db = MatrixSolve(g, gram, Times(g, a, g.dy()));
  const Output y = MatrixSolve(g, gram, b);
  const Output rest = Sub(g, g.dy(), AdjointTimes(g, a, db));
  g.Set(0,
        Sub(g, TimesAdjoint(g, y, rest), Times(g, db, AdjointTimes(g, y, a))));
  g.Set(1, db);
}

}  // namespace

MR_GRADIENT(MatrixSolveLs)(GradContext& g) {
  int64_t rows = 0, cols = 0;
  if (!g.Attr<bool>("fast")) {
    g.Fail(InvalidArgument("Gradient not defined for fast=False"));
  } else if (!KnownSizes(g.in(0), &rows, &cols)) {
    g.Fail(Unimplemented(
        "the gradient of MatrixSolveLs for matrices of unknown sizes"));
  } else if (rows >= cols) {
    TallGradient(g);
  } else {
    WideGradient(g);
  }
}

}  // namespace millrace::ops
