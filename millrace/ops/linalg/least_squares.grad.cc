#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// What was solved, and the gradient of the solution.
struct Solved {
  Output a, b, regularizer, x, dx;
};

struct SolvedGradients {
  Output a, b;
};

// Returns `gram` with the regularizer on its diagonal.
Output Regularized(GradContext& g, const Output& gram,
                   const Output& regularizer) {
  const Output ones = OnesLike(g, MatrixDiagPart(g, gram));
  return AddV2(g, gram,
               MatrixDiag(g, Mul(g, ones, Cast(g, regularizer, gram.dtype()))));
}

// x = (A^H A + l2)^-1 A^H b.
SolvedGradients TallGradients(GradContext& g, const Solved& s) {
  const Output z = MatrixSolve(
      g, Regularized(g, AdjointTimes(g, s.a, s.a), s.regularizer), s.dx);
  const Output both = WithAdjoint(g, TimesAdjoint(g, s.x, z));
  return {.a = Sub(g, TimesAdjoint(g, s.b, z), Times(g, s.a, both)),
          .b = Times(g, s.a, z)};
}

// x = A^H (A A^H + l2)^-1 b.
SolvedGradients WideGradients(GradContext& g, const Solved& s) {
  const Output gram = Regularized(g, TimesAdjoint(g, s.a, s.a), s.regularizer);
  const Output db = MatrixSolve(g, gram, Times(g, s.a, s.dx));
  const Output y = MatrixSolve(g, gram, s.b);
  const Output rest = Sub(g, s.dx, AdjointTimes(g, s.a, db));
  return {.a = Sub(g, TimesAdjoint(g, y, rest),
                   Times(g, db, AdjointTimes(g, y, s.a))),
          .b = db};
}

// Decides by the sizes that the matrices have in the step.
SolvedGradients GradientsBySize(GradContext& g, const Solved& s) {
  const Output shape = ShapeOf(g, s.a);
  const Output rank = RankOf(g, s.a);
  const Output is_tall =
      GreaterEqual(g, Gather(g, shape, Output(Sub(g, rank, 2))),
                   Gather(g, shape, Output(Sub(g, rank, 1))));
  Solved tall, wide;
  for (const auto member : {&Solved::a, &Solved::b, &Solved::regularizer,
                            &Solved::x, &Solved::dx}) {
    const auto branches = Switch(g, s.*member, is_tall);
    tall.*member = branches.output_true;
    wide.*member = branches.output_false;
  }
  const SolvedGradients of_tall = TallGradients(g, tall);
  const SolvedGradients of_wide = WideGradients(g, wide);
  return {.a = Merge(g, {of_tall.a, of_wide.a}).output,
          .b = Merge(g, {of_tall.b, of_wide.b}).output};
}

}  // namespace

MR_GRADIENT(MatrixSolveLs)(GradContext& g) {
  if (!g.Attr<bool>("fast")) {
    g.Fail(InvalidArgument("Gradient not defined for fast=False"));
    return;
  }
  const Solved solved{.a = g.in(0),
                      .b = g.in(1),
                      .regularizer = g.in(2),
                      .x = g.out(),
                      .dx = g.dy()};
  int64_t rows = 0, cols = 0;
  SolvedGradients gradients;
  if (!KnownSizes(solved.a, &rows, &cols)) {
    gradients = GradientsBySize(g, solved);
  } else if (rows >= cols) {
    gradients = TallGradients(g, solved);
  } else {
    gradients = WideGradients(g, solved);
  }
  g.Set(0, gradients.a);
  g.Set(1, gradients.b);
}

}  // namespace millrace::ops
