#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns column i of a matrix.
Output Column(GradContext& g, const Output& matrix, int i) {
  return StridedSlice(g, matrix, {0, i}, {0, i + 1}, {1, 1},
                      {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2});
}

}  // namespace

MR_GRADIENT(SparseTensorDenseMatMul)(GradContext& g) {
  const bool adjoint_a = g.Attr<bool>("adjoint_a");
  const bool adjoint_b = g.Attr<bool>("adjoint_b");
  const Output dy = g.dy();
  const Output b = g.in(3);
  Output db = SparseTensorDenseMatMul(g, g.in(0), g.in(1), g.in(2), dy,
                                      {.adjoint_a = !adjoint_a});
  if (adjoint_b) db = ConjugateTranspose(g, db, {1, 0});
  g.Set(3, db);
  const Output rows = Column(g, g.in(0), 0);
  const Output columns = Column(g, g.in(0), 1);
  const Output left = GatherV2(g, dy, adjoint_a ? columns : rows, 0);
  const Output right =
      GatherV2(g, adjoint_b ? Transpose(g, b, {1, 0}) : ConjOf(g, b),
               adjoint_a ? rows : columns, 0);
  const Output da = Sum(g, Mul(g, left, right), 1);
  g.Set(1, adjoint_a ? ConjOf(g, da) : da);
}

}  // namespace millrace::ops
