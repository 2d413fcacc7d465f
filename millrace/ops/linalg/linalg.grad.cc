// Gradients of factorizations and solutions, as the papers of Giles (2008) and
// Townsend (2016) derive them.
#include <cstdlib>

#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// a b, with adjoints.
Output Times(GradContext& g, const Output& a, const Output& b,
             bool adjoint_a = false, bool adjoint_b = false) {
  return BatchMatMulV2(g, a, b, {.adj_x = adjoint_a, .adj_y = adjoint_b});
}
Output AdjointOf(GradContext& g, const Output& x) {
  const Output rank = RankOf(g, x);
  const Output last =
      Pack(g, {Output(Sub(g, rank, 1)), Output(Sub(g, rank, 2))});
  return ConjugateTranspose(
      g, x, ConcatV2(g, {Range(g, 0, Output(Sub(g, rank, 2)), 1), last}, 0));
}
// x plus (or minus) its adjoint.
Output WithAdjoint(GradContext& g, const Output& x) {
  return AddV2(g, x, AdjointOf(g, x));
}
Output WithoutAdjoint(GradContext& g, const Output& x) {
  return Sub(g, x, AdjointOf(g, x));
}
Output HalfOf(GradContext& g, const Output& x) {
  return Mul(g, x, NumberLike(g, x, 0.5));
}
// A number a matrix, times the matrix.
Output ScaleEach(GradContext& g, const Output& scale, const Output& x) {
  return Mul(g, ExpandDims(g, ExpandDims(g, scale, -1), -1), x);
}
Output Lower(GradContext& g, const Output& x) {
  return MatrixBandPart(g, x, int64_t{-1}, int64_t{0});
}
Output Upper(GradContext& g, const Output& x) {
  return MatrixBandPart(g, x, int64_t{0}, int64_t{-1});
}
// 1 / x, and about 0 where x is about 0.
Output SafeReciprocal(GradContext& g, const Output& x) {
  return Mul(g, x,
             Reciprocal(g, AddV2(g, Square(g, x), NumberLike(g, x, 1e-20))));
}
// 1 / (x[j] - x[i]) at (i, j), 0 on the diagonal.
Output InverseDifferences(GradContext& g, const Output& x) {
  const Output f =
      SafeReciprocal(g, Sub(g, ExpandDims(g, x, -2), ExpandDims(g, x, -1)));
  return MatrixSetDiag(g, f, ZerosLike(g, x));
}

// The first `count` columns of matrices, or those after them.
Output FirstColumns(GradContext& g, const Output& x, const Output& count) {
  return StridedSlice(g, x, {0, 0}, Pack(g, {Output(Const(g, 0)), count}),
                      {1, 1}, {.begin_mask = 2, .ellipsis_mask = 1});
}
Output LastColumns(GradContext& g, const Output& x, const Output& count) {
  return StridedSlice(g, x, Pack(g, {Output(Const(g, 0)), count}), {0, 0},
                      {1, 1}, {.end_mask = 2, .ellipsis_mask = 1});
}

// Whether the matrices' sizes are known, and what they are.
bool KnownSizes(const Output& x, int64_t* rows, int64_t* cols) {
  const PartialShape s = x.shape();
  if (!s.known_rank() || s.rank() < 2) return false;
  *rows = s.dim(s.rank() - 2);
  *cols = s.dim(s.rank() - 1);
  return *rows >= 0 && *cols >= 0;
}

// What the batches' broadcast added up, for an operand of shape `like`.
Output SumTo(GradContext& g, const Output& d, const Output& like,
             const Output& axes) {
  return Reshape(g, Sum(g, d, axes, {.keep_dims = true}), ShapeOf(g, like));
}

// What of an Svd's `dx` leaves the space of its vectors `x`, output i, whose
// length is dimension `dim` of the matrix. Where they are as many as they are
// long it would be roundings, which small singular values blow up: it is 0 if
// that is known only when the graph runs.
Output LeavingSpace(GradContext& g, int i, const Output& x, const Output& dx,
                    const Output& xdx, int dim) {
  const Output count = Element(g, ShapeOf(g, g.out(0)), -1);
  Output d = Sub(g, dx, Times(g, x, xdx));
  if (g.Attr<bool>("full_matrices")) {
    const Output beyond = LastColumns(g, g.out(i), count);
    const Output d_beyond = LastColumns(g, g.dy(i), count);
    d = Sub(g, d, Times(g, beyond, Times(g, d_beyond, x, true)));
  }
  int64_t rows = 0, cols = 0;
  if (KnownSizes(g.in(0), &rows, &cols)) return d;
  const Output length = Element(g, ShapeOf(g, g.in(0)), dim);
  return Mul(g, d, Cast(g, Greater(g, length, count), d.dtype()));
}

// The gradient of A = Q R for a square R.
Output QrSquare(GradContext& g, const Output& q, const Output& r,
                const Output& dq, const Output& dr) {
  // x times the adjoint of R's inverse.
  const auto divide = [&](const Output& x) {
    return AdjointOf(
        g, MatrixTriangularSolve(g, r, AdjointOf(g, x), {.lower = false}));
  };
  const Output qdq = Times(g, q, dq, true);
  const Output rdr = Times(g, r, dr, false, true);
  const Output lower =
      Lower(g, AddV2(g, WithoutAdjoint(g, qdq), WithoutAdjoint(g, rdr)));
  const Output along = Times(g, q, AddV2(g, dr, divide(lower)));
  const Output across = divide(Sub(g, dq, Times(g, q, qdq)));
  const Output sum = AddV2(g, along, across);
  if (!IsComplex(q.dtype())) return sum;
  // R's diagonal is real, so its imaginary part says nothing.
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

// With the factor L and its inverse: the derivative of A = L L^H, solved for
// that of L.
MR_GRADIENT(Cholesky)(GradContext& g) {
  const Output l = g.out();
  const Output inverse = MatrixInverse(g, l);
  Output middle = Times(g, l, g.dy(), true);
  middle = MatrixSetDiag(g, middle, HalfOf(g, MatrixDiagPart(g, middle)));
  middle = Lower(g, middle);
  g.Set(0, HalfOf(g, WithAdjoint(g, Times(g, Times(g, inverse, middle, true),
                                          inverse))));
}

MR_GRADIENT(MatrixInverse)(GradContext& g) {
  const Output y = g.out();
  const Output dy = g.dy();
  // y = A^-1: -y^H dy y^H; y = A^-H: its adjoint.
  g.Set(0, Neg(g, g.Attr<bool>("adjoint")
                      ? Times(g, y, Times(g, dy, y, true), false)
                      : Times(g, y, Times(g, dy, y, false, true), true)));
}

MR_GRADIENT(MatrixDeterminant)(GradContext& g) {
  const Output inverse = MatrixInverse(g, g.in(0), {.adjoint = true});
  g.Set(0, ScaleEach(g, Mul(g, g.dy(), ConjOf(g, g.out())), inverse));
}
MR_GRADIENT(LogMatrixDeterminant)(GradContext& g) {
  const Output inverse = MatrixInverse(g, g.in(0), {.adjoint = true});
  g.Set(0, ScaleEach(g, g.dy(1), inverse));
}

MR_GRADIENT(MatrixSolve)(GradContext& g) {
  const bool adjoint = g.Attr<bool>("adjoint");
  const Output db = MatrixSolve(g, g.in(0), g.dy(), {.adjoint = !adjoint});
  g.Set(0, Neg(g, adjoint ? Times(g, g.out(), db, false, true)
                          : Times(g, db, g.out(), false, true)));
  g.Set(1, db);
}

MR_GRADIENT(MatrixTriangularSolve)(GradContext& g) {
  const bool adjoint = g.Attr<bool>("adjoint");
  const bool lower = g.Attr<bool>("lower");
  const Output db = MatrixTriangularSolve(
      g, g.in(0), g.dy(), {.lower = lower, .adjoint = !adjoint});
  Output da = Neg(g, adjoint ? Times(g, g.out(), db, false, true)
                             : Times(g, db, g.out(), false, true));
  da = lower ? Lower(g, da) : Upper(g, da);
  const auto axes =
      BroadcastGradientArgs(g, Part(g, ShapeOf(g, g.in(0)), 0, -2),
                            Part(g, ShapeOf(g, g.in(1)), 0, -2));
  g.Set(0, SumTo(g, da, g.in(0), axes.r0));
  g.Set(1, SumTo(g, db, g.in(1), axes.r1));
}

// A wide A = [X, Y] is Q [U, V]: X = Q U as if it were alone, and V = Q^H Y.
// For others Y and V have no columns.
MR_GRADIENT(Qr)(GradContext& g) {
  int64_t rows = 0, cols = 0;
  if (g.Attr<bool>("full_matrices") && KnownSizes(g.in(0), &rows, &cols) &&
      rows > cols) {
    g.Fail(Unimplemented(
        "the gradient of Qr with full_matrices for more rows than columns"));
    return;
  }
  const Output q = g.out(0), r = g.out(1);
  const Output dq = g.dy(0), dr = g.dy(1);
  const Output p = Element(g, ShapeOf(g, q), -1);
  const Output y = LastColumns(g, g.in(0), p);
  const Output u = FirstColumns(g, r, p);
  const Output du = FirstColumns(g, dr, p);
  const Output dv = LastColumns(g, dr, p);
  const Output dx =
      QrSquare(g, q, u, AddV2(g, dq, Times(g, y, dv, false, true)), du);
  g.Set(0, ConcatV2(g, {dx, Times(g, q, dv)}, -1));
}

// The op reads the lower half alone.
MR_GRADIENT(SelfAdjointEigV2)(GradContext& g) {
  const Output a = g.in(0);
  Output middle = MatrixDiag(g, g.dy(0));
  Output v = g.out(1);
  if (g.Attr<bool>("compute_v")) {
    if (g.has_dy(1)) {
      const Output f = InverseDifferences(g, g.out(0));
      middle =
          AddV2(g, middle, Mul(g, ConjOf(g, f), Times(g, v, g.dy(1), true)));
    }
  } else {
    v = SelfAdjointEigV2(g, a).v;
  }
  Output da = Times(g, v, Times(g, middle, v, false, true));
  da = Lower(g, WithAdjoint(g, da));
  g.Set(0, MatrixSetDiag(g, da, HalfOf(g, MatrixDiagPart(g, da))));
}

MR_GRADIENT(Svd)(GradContext& g) {
  const Output a = g.in(0);
  const Output ds = MatrixDiag(g, g.dy(0));
  if (!g.Attr<bool>("compute_uv")) {
    const auto svd = Svd(g, a);
    g.Set(0, Times(g, svd.u, Times(g, ds, svd.v, false, true)));
    return;
  }
  int64_t rows = 0, cols = 0;
  const bool known = KnownSizes(a, &rows, &cols);
  if (g.Attr<bool>("full_matrices") && known && std::abs(rows - cols) > 1) {
    g.Fail(Unimplemented(
        "the gradient of Svd with full_matrices for numbers of rows and "
        "columns that differ by more than 1"));
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
  const Output udu = Times(g, u, du, true);
  const Output vdv = Times(g, v, dv, true);
  Output middle =
      AddV2(g, ds,
            AddV2(g, Times(g, WithAdjoint(g, Mul(g, f, udu)), s_matrix),
                  Times(g, s_matrix, WithAdjoint(g, Mul(g, f, vdv)))));
  if (IsComplex(a.dtype())) {
    // The phases of pairs of vectors are free. As in stock, those of the longer
    // vectors count.
    const bool by_u = known && rows > cols;
    const Output l = MatrixDiag(g, MatrixDiagPart(g, by_u ? udu : vdv));
    const Output phases = Times(g, s_inverse, WithoutAdjoint(g, l));
    middle = (by_u ? AddV2 : Sub)(g, middle, HalfOf(g, phases));
  }
  Output da = Times(g, u, Times(g, middle, v, false, true));
  if (!known || rows > cols) {
    const Output d = LeavingSpace(g, 1, u, du, udu, -2);
    da = AddV2(g, da, Times(g, Times(g, d, s_inverse), v, false, true));
  }
  if (!known || rows < cols) {
    const Output d = LeavingSpace(g, 2, v, dv, vdv, -1);
    da = AddV2(g, da, Times(g, Times(g, u, s_inverse), d, false, true));
  }
  g.Set(0, da);
}

}  // namespace millrace::ops
