#include <cstdlib>

#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Returns the part of an Svd's `dx` that leaves the space of its vectors `x`,
// output i, whose length is dimension `dim` of the matrix. If there are as many
// vectors as they are long, the part would consist of rounding errors, which
// small singular values amplify; it is 0 also if that is known only when the
// graph runs.
Output LeavingSpace(GradContext& g, int i, const Output& x, const Output& dx,
                    const Output& xdx, int dim) {
  const Output count = Element(g, ShapeOf(g, g.out(0)), -1);
  Output d = Sub(g, dx, Times(g, x, xdx));
  if (g.Attr<bool>("full_matrices")) {
    const Output beyond = LastColumns(g, g.out(i), count);
    const Output d_beyond = LastColumns(g, g.dy(i), count);
    d = Sub(g, d, Times(g, beyond, AdjointTimes(g, d_beyond, x)));
  }
  int64_t rows = 0, cols = 0;
  if (KnownSizes(g.in(0), &rows, &cols)) return d;
  const Output length = Element(g, ShapeOf(g, g.in(0)), dim);
  return Mul(g, d, Cast(g, Greater(g, length, count), d.dtype()));
}

}  // namespace

MR_GRADIENT(Svd)(GradContext& g) {
  const Output a = g.in(0);
  const Output ds = MatrixDiag(g, g.dy(0));
  if (!g.Attr<bool>("compute_uv")) {
    const auto svd = Svd(g, a);
    g.Set(0, Times(g, svd.u, TimesAdjoint(g, ds, svd.v)));
    return;
  }
  int64_t rows = 0, cols = 0;
  const bool known = KnownSizes(a, &rows, &cols);
  if (g.Attr<bool>("full_matrices") && known && std::abs(rows - cols) > 1) {
    g.Fail(
        Unimplemented("svd gradient is not implemented for abs(m - n) > 1 when "
                      "full_matrices is True"));
    return;
  }
  // Vectors beyond the p-th are those that full_matrices adds.
  const Output s = g.out(0);
  const Output p = Element(g, ShapeOf(g, s), -1);
  const Output u = FirstColumns(g, g.out(1), p);
  const Output v = FirstColumns(g, g.out(2), p);
  const Output du = FirstColumns(g, g.dy(1), p);
  const Output dv = FirstColumns(g, g.dy(2), p);
  const Output s_matrix = MatrixDiag(g, s);
  const Output s_inverse = MatrixDiag(g, SafeReciprocal(g, s));
  const Output f = InverseDifferences(g, Square(g, s));
  const Output udu = AdjointTimes(g, u, du);
  const Output vdv = AdjointTimes(g, v, dv);
  Output middle =
      AddV2(g, ds,
            AddV2(g, Times(g, WithAdjoint(g, Mul(g, f, udu)), s_matrix),
                  Times(g, s_matrix, WithAdjoint(g, Mul(g, f, vdv)))));
  if (IsComplex(a.dtype())) {
    // The phases of pairs of vectors are arbitrary. As in stock, those of the
    // longer vectors are used.
    const bool by_u = known && rows > cols;
    const Output l = MatrixDiag(g, MatrixDiagPart(g, by_u ? udu : vdv));
    const Output phases = Times(g, s_inverse, WithoutAdjoint(g, l));
    middle = (by_u ? AddV2 : Sub)(g, middle, HalfOf(g, phases));
  }
  Output da = Times(g, u, TimesAdjoint(g, middle, v));
  if (!known || rows > cols) {
    const Output d = LeavingSpace(g, 1, u, du, udu, -2);
    da = AddV2(g, da, TimesAdjoint(g, Times(g, d, s_inverse), v));
  }
  if (!known || rows < cols) {
    const Output d = LeavingSpace(g, 2, v, dv, vdv, -1);
    da = AddV2(g, da, TimesAdjoint(g, Times(g, u, s_inverse), d));
  }
  g.Set(0, da);
}

}  // namespace millrace::ops
