// Gradients of matrix products.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

enum Form { kAsIs, kTransposed };

// Returns the two gradients of op(a) * op(b), by `multiply(x, form of x, y,
// form of y)`.
template <class F>
std::pair<Output, Output> ProductGradients(GradContext& g, const Output& a,
                                           const Output& b, bool transpose_a,
                                           bool transpose_b, F multiply) {
  const Output& dy = g.dy();
  if (!transpose_a && !transpose_b) {
    return {multiply(dy, kAsIs, b, kTransposed),
            multiply(a, kTransposed, dy, kAsIs)};
  }
  if (!transpose_a)
    return {multiply(dy, kAsIs, b, kAsIs), multiply(dy, kTransposed, a, kAsIs)};
  if (!transpose_b)
    return {multiply(b, kAsIs, dy, kTransposed), multiply(a, kAsIs, dy, kAsIs)};
  return {multiply(b, kTransposed, dy, kTransposed),
          multiply(dy, kTransposed, a, kTransposed)};
}

// Sums over the batch dimensions that were broadcast.
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
  auto [da, db] =
      ProductGradients(g, ConjOf(g, g.in(0)), ConjOf(g, g.in(1)),
                       g.Attr<bool>("transpose_a"), g.Attr<bool>("transpose_b"),
                       [&](const Output& x, Form fx, const Output& y, Form fy) {
                         return MatMul(g, x, y,
                                       {.transpose_a = fx == kTransposed,
                                        .transpose_b = fy == kTransposed});
                       });
  g.Set(0, da);
  g.Set(1, db);
}

// Adjoints include the conjugation.
MR_GRADIENT(BatchMatMul)(GradContext& g) {
  auto [da, db] = ProductGradients(
      g, g.in(0), g.in(1), g.Attr<bool>("adj_x"), g.Attr<bool>("adj_y"),
      [&](const Output& x, Form fx, const Output& y, Form fy) {
        return BatchMatMul(
            g, x, y, {.adj_x = fx == kTransposed, .adj_y = fy == kTransposed});
      });
  g.Set(0, da);
  g.Set(1, db);
}

MR_GRADIENT(BatchMatMulV2)(GradContext& g) {
  auto [da, db] = ProductGradients(
      g, g.in(0), g.in(1), g.Attr<bool>("adj_x"), g.Attr<bool>("adj_y"),
      [&](const Output& x, Form fx, const Output& y, Form fy) {
        return BatchMatMulV2(
            g, x, y, {.adj_x = fx == kTransposed, .adj_y = fy == kTransposed});
      });
  auto [a, b] = ReduceBatches(g, da, db);
  g.Set(0, a);
  g.Set(1, b);
}

}  // namespace millrace::ops
