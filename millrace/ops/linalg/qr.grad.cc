#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Returns the gradient of A = Q R for a square R.
Output QrSquare(GradContext& g, const Output& q, const Output& r,
                const Output& dq, const Output& dr) {
  // Returns x times the adjoint of R's inverse.
  const auto divide = [&](const Output& x) {
    return AdjointOf(
        g, MatrixTriangularSolve(g, r, AdjointOf(g, x), {.lower = false}));
  };
  const Output qdq = AdjointTimes(g, q, dq);
  const Output rdr = TimesAdjoint(g, r, dr);
  const Output lower = LowerTriangle(
      g, AddV2(g, WithoutAdjoint(g, qdq), WithoutAdjoint(g, rdr)));
  const Output along = Times(g, q, AddV2(g, dr, divide(lower)));
  const Output across = divide(Sub(g, dq, Times(g, q, qdq)));
  const Output sum = AddV2(g, along, across);
  if (!IsComplex(q.dtype())) return sum;
  // The diagonal of R is real, so the imaginary part of its gradient is
  // ignored.
  const Output diagonal = MatrixDiagPart(g, Sub(g, rdr, AdjointOf(g, qdq)));
  const Output imaginary = Sub(
      g, diagonal,
      Cast(
          g,
          Real(g, diagonal,
               {.Tout = q.dtype() == DataType::kComplex64 ? DataType::kFloat
                                                          : DataType::kDouble}),
          q.dtype()));
  const Output correction = AdjointOf(g, MatrixDiag(g, imaginary));
  return AddV2(g, sum, divide(Times(g, q, correction)));
}

}  // namespace

// A wide A = [X, Y] is Q [U, V]: X = Q U as if it were alone, and V = Q^H Y.
// For other matrices, Y and V have no columns.
MR_GRADIENT(Qr)(GradContext& g) {
  int64_t rows = 0, cols = 0;
  if (g.Attr<bool>("full_matrices") && KnownSizes(g.in(0), &rows, &cols) &&
      rows > cols) {
    g.Fail(Unimplemented(
        "QrGrad not implemented when nrows > ncols and full_matrices is true"));
    return;
  }
  const Output q = g.out(0), r = g.out(1);
  const Output dq = g.dy(0), dr = g.dy(1);
  const Output p = Element(g, ShapeOf(g, q), -1);
  const Output y = LastColumns(g, g.in(0), p);
  const Output u = FirstColumns(g, r, p);
  const Output du = FirstColumns(g, dr, p);
  const Output dv = LastColumns(g, dr, p);
  const Output dx = QrSquare(g, q, u, AddV2(g, dq, TimesAdjoint(g, y, dv)), du);
  g.Set(0, ConcatV2(g, {dx, Times(g, q, dv)}, -1));
}

}  // namespace millrace::ops
