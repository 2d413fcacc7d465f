// Gradients of matrices with three diagonals, which are kept as rows.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {
namespace {

// Return x with its rows moved up or down by one, and zeros in the free row;
// `diagonal` is a diagonal of the matrices by which x can be multiplied.
Output RowsUp(GradContext& g, const Output& x, const Output& diagonal) {
  const Output zero = ZerosLike(g, diagonal);
  return TridiagonalMatMul(g, OnesLike(g, diagonal), zero, zero, x);
}
Output RowsDown(GradContext& g, const Output& x, const Output& diagonal) {
  const Output zero = ZerosLike(g, diagonal);
  return TridiagonalMatMul(g, zero, zero, OnesLike(g, diagonal), x);
}

// Return a diagonal moved to where the adjoint matrix has it. What comes in
// from the other end is not read there.
Output UpperOfAdjoint(GradContext& g, const Output& lower) {
  return ConjOf(g, Roll(g, lower, -1, -1));
}
Output LowerOfAdjoint(GradContext& g, const Output& upper) {
  return ConjOf(g, Roll(g, upper, 1, -1));
}

// Returns the diagonal of x y^H as a row.
Output DiagonalOfProduct(GradContext& g, const Output& x, const Output& y) {
  return ExpandDims(g, Sum(g, Mul(g, x, ConjOf(g, y)), {-1}), -2);
}

// Returns row `i` of three diagonals, as a row.
Output DiagonalAt(GradContext& g, const Output& diagonals, int i) {
  return StridedSlice(g, diagonals, {0, i, 0}, {0, i + 1, 0}, {1, 1, 1},
                      {.begin_mask = 4, .end_mask = 4, .ellipsis_mask = 1});
}

}  // namespace

MR_GRADIENT(TridiagonalMatMul)(GradContext& g) {
  const Output &upper = g.in(0), &main = g.in(1), &lower = g.in(2);
  const Output &x = g.in(3), dy = g.dy();
  g.Set(0, DiagonalOfProduct(g, dy, RowsUp(g, x, main)));
  g.Set(1, DiagonalOfProduct(g, dy, x));
  g.Set(2, DiagonalOfProduct(g, dy, RowsDown(g, x, main)));
  g.Set(3, TridiagonalMatMul(g, UpperOfAdjoint(g, lower), ConjOf(g, main),
                             LowerOfAdjoint(g, upper), dy));
}

MR_GRADIENT(TridiagonalSolve)(GradContext& g) {
  const Output upper = DiagonalAt(g, g.in(0), 0);
  const Output main = DiagonalAt(g, g.in(0), 1);
  const Output lower = DiagonalAt(g, g.in(0), 2);
  const Output adjoint = ConcatV2(
      g, {UpperOfAdjoint(g, lower), ConjOf(g, main), LowerOfAdjoint(g, upper)},
      -2);
  const Output dx =
      TridiagonalSolve(g, adjoint, g.dy(),
                       {.partial_pivoting = g.Attr<bool>("partial_pivoting"),
                        .perturb_singular = g.Attr<bool>("perturb_singular")});
  const Output x = g.out();
  g.Set(0, Neg(g, ConcatV2(g,
                           {DiagonalOfProduct(g, dx, RowsUp(g, x, main)),
                            DiagonalOfProduct(g, dx, x),
                            DiagonalOfProduct(g, dx, RowsDown(g, x, main))},
                           -2)));
  g.Set(1, dx);
}

}  // namespace millrace::ops
