#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

Output UpperTriangle(GradContext& g, const Output& x) {
  return MatrixBandPart(g, x, int64_t{0}, int64_t{-1});
}

// Returns `d` summed over what the broadcast of the batches repeated, for an
// operand of shape `like`.
Output SumTo(GradContext& g, const Output& d, const Output& like,
             const Output& axes) {
  return Reshape(g, Sum(g, d, axes, {.keep_dims = true}), ShapeOf(g, like));
}

}  // namespace

MR_GRADIENT(MatrixSolve)(GradContext& g) {
  const bool adjoint = g.Attr<bool>("adjoint");
  const Output db = MatrixSolve(g, g.in(0), g.dy(), {.adjoint = !adjoint});
  g.Set(0, Neg(g, adjoint ? TimesAdjoint(g, g.out(), db)
                          : TimesAdjoint(g, db, g.out())));
  g.Set(1, db);
}

MR_GRADIENT(MatrixTriangularSolve)(GradContext& g) {
  const bool adjoint = g.Attr<bool>("adjoint");
  const bool lower = g.Attr<bool>("lower");
  const Output db = MatrixTriangularSolve(
      g, g.in(0), g.dy(), {.lower = lower, .adjoint = !adjoint});
  Output da = Neg(
      g, adjoint ? TimesAdjoint(g, g.out(), db) : TimesAdjoint(g, db, g.out()));
  da = lower ? LowerTriangle(g, da) : UpperTriangle(g, da);
  const auto axes =
      BroadcastGradientArgs(g, Part(g, ShapeOf(g, g.in(0)), 0, -2),
                            Part(g, ShapeOf(g, g.in(1)), 0, -2));
  g.Set(0, SumTo(g, da, g.in(0), axes.r0));
  g.Set(1, SumTo(g, db, g.in(1), axes.r1));
}

}  // namespace millrace::ops
