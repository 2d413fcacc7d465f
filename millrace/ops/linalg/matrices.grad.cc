#include "millrace/ops/linalg/matrices.grad.h"

#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

Output Times(GradContext& g, const Output& a, const Output& b) {
  return BatchMatMulV2(g, a, b);
}
Output AdjointTimes(GradContext& g, const Output& a, const Output& b) {
  return BatchMatMulV2(g, a, b, {.adj_x = true});
}
Output TimesAdjoint(GradContext& g, const Output& a, const Output& b) {
  return BatchMatMulV2(g, a, b, {.adj_y = true});
}

Output AdjointOf(GradContext& g, const Output& x) {
  const Output rank = RankOf(g, x);
  const Output last =
      Pack(g, {Output(Sub(g, rank, 1)), Output(Sub(g, rank, 2))});
  return ConjugateTranspose(
      g, x, ConcatV2(g, {Range(g, 0, Output(Sub(g, rank, 2)), 1), last}, 0));
}

Output WithAdjoint(GradContext& g, const Output& x) {
  return AddV2(g, x, AdjointOf(g, x));
}

Output WithoutAdjoint(GradContext& g, const Output& x) {
  return Sub(g, x, AdjointOf(g, x));
}

Output HalfOf(GradContext& g, const Output& x) {
  return Mul(g, x, NumberLike(g, x, 0.5));
}

Output LowerTriangle(GradContext& g, const Output& x) {
  return MatrixBandPart(g, x, int64_t{-1}, int64_t{0});
}

Output SafeReciprocal(GradContext& g, const Output& x) {
  return Mul(g, x,
             Reciprocal(g, AddV2(g, Square(g, x), NumberLike(g, x, 1e-20))));
}

Output InverseDifferences(GradContext& g, const Output& x) {
  const Output f =
      SafeReciprocal(g, Sub(g, ExpandDims(g, x, -2), ExpandDims(g, x, -1)));
  return MatrixSetDiag(g, f, ZerosLike(g, x));
}

Output FirstColumns(GradContext& g, const Output& x, const Output& count) {
  return StridedSlice(g, x, {0, 0}, Pack(g, {Output(Const(g, 0)), count}),
                      {1, 1}, {.begin_mask = 2, .ellipsis_mask = 1});
}

Output LastColumns(GradContext& g, const Output& x, const Output& count) {
  return StridedSlice(g, x, Pack(g, {Output(Const(g, 0)), count}), {0, 0},
                      {1, 1}, {.end_mask = 2, .ellipsis_mask = 1});
}

bool KnownSizes(const Output& x, int64_t* rows, int64_t* cols) {
  const PartialShape s = x.shape();
  if (!s.known_rank() || s.rank() < 2) return false;
  *rows = s.dim(s.rank() - 2);
  *cols = s.dim(s.rank() - 1);
  return *rows >= 0 && *cols >= 0;
}

}  // namespace millrace::ops
