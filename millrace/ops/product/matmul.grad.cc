// Gradients of matrix products.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// The two gradients of op(a) * op(b), by `multiply(x, y, transpose x,
// transpose y)`.
template <class F>
std::pair<Output, Output> ProductGradients(GradContext& g, const Output& a,
                                           const Output& b, bool transpose_a,
                                           bool transpose_b, F multiply) {
  const Output& dy = g.dy();
  if (!transpose_a && !transpose_b) {
    return {multiply(dy, b, false, true), multiply(a, dy, true, false)};
  }
  if (!transpose_a)
    return {multiply(dy, b, false, false), multiply(dy, a, true, false)};
  if (!transpose_b)
    return {multiply(b, dy, false, true), multiply(a, dy, false, false)};
  return {multiply(b, dy, true, true), multiply(dy, a, true, true)};
}

// Sums what broadcasting of the batch dimensions spread.
std::pair<Output, Output> ReduceBatches(GradContext& g, const Output& da,
                                        const Output& db) {
  const PartialShape a = g.in(0).shape();
  const PartialShape b = g.in(1).shape();
  const bool same =
      a.known_rank() && b.known_rank() && a.rank() == b.rank() &&
      PartialShape(a.dims().subspan(0, a.dims().size() - 2)).IsFullyDefined() &&
      a.dims().subspan(0, a.dims().size() - 2) ==
          b.dims().subspan(0, b.dims().size() - 2);
  if (same) return {da, db};
  const Output sa = ShapeOf(g, g.in(0));
  const Output sb = ShapeOf(g, g.in(1));
  const auto axes =
      BroadcastGradientArgs(g, Part(g, sa, 0, -2), Part(g, sb, 0, -2));
  return {Reshape(g, Sum(g, da, axes.r0), sa),
          Reshape(g, Sum(g, db, axes.r1), sb)};
}

}  // namespace

MR_GRADIENT(MatMul)(GradContext& g) {
  auto [da, db] = ProductGradients(
      g, ConjOf(g, g.in(0)), ConjOf(g, g.in(1)), g.Attr<bool>("transpose_a"),
      g.Attr<bool>("transpose_b"),
      [&](const Output& x, const Output& y, bool tx, bool ty) {
        return MatMul(g, x, y, {.transpose_a = tx, .transpose_b = ty});
      });
  g.Set(0, da);
  g.Set(1, db);
}

// Adjoints conjugate by themselves.
MR_GRADIENT(BatchMatMul)(GradContext& g) {
  auto [da, db] = ProductGradients(
      g, g.in(0), g.in(1), g.Attr<bool>("adj_x"), g.Attr<bool>("adj_y"),
      [&](const Output& x, const Output& y, bool tx, bool ty) {
        return BatchMatMul(g, x, y, {.adj_x = tx, .adj_y = ty});
      });
  g.Set(0, da);
  g.Set(1, db);
}

MR_GRADIENT(BatchMatMulV2)(GradContext& g) {
  auto [da, db] = ProductGradients(
      g, g.in(0), g.in(1), g.Attr<bool>("adj_x"), g.Attr<bool>("adj_y"),
      [&](const Output& x, const Output& y, bool tx, bool ty) {
        return BatchMatMulV2(g, x, y, {.adj_x = tx, .adj_y = ty});
      });
  auto [a, b] = ReduceBatches(g, da, db);
  g.Set(0, a);
  g.Set(1, b);
}

}  // namespace millrace::ops
