// Gradients of switches: what is dead in the forward pass is dead in the
// gradient.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/control_flow/empty_rows.grad.h"

namespace millrace::ops {
namespace {

// Returns whether the gradients that came through the branches are rows or
// missing.
bool OnlyRows(const GradContext& g) {
  bool any = false;
  for (int i = 0; i < g.num_outputs(); ++i) {
    if (g.has_dy(i) && !g.gradient(i).is_slices()) return false;
    any = any || g.has_dy(i);
  }
  return any;
}

// Returns the rows with all outputs alive where the values are: indices may
// come from outside of the branch.
IndexedSlices AliveWithValues(GradContext& g, IndexedSlices rows) {
  const Scope there = g.scope().WithControlDependencies({rows.values});
  rows.indices = Identity(there, rows.indices);
  if (rows.dense_shape) rows.dense_shape = Identity(there, rows.dense_shape);
  return rows;
}

// Sets a gradient of rows. A branch without a gradient contributes no rows,
// alive if the branch was taken.
void RowsOfBranches(GradContext& g) {
  const int known = g.has_dy(0) ? 0 : 1;
  IndexedSlices rows[2];
  for (int i = 0; i < 2; ++i) {
    rows[i] = g.has_dy(i) ? AliveWithValues(g, g.gradient(i).slices)
                          : EmptyRows(g, g.out(i), g.gradient(known).slices);
  }
  MatchRows(g, &rows[0], &rows[1]);
  const auto merged = [&g](const Output& x, const Output& y) {
    return Merge(g, {x, y}).output;
  };
  IndexedSlices all;
  all.values = merged(rows[0].values, rows[1].values);
  all.indices = merged(rows[0].indices, rows[1].indices);
  if (rows[0].dense_shape)
    all.dense_shape = merged(rows[0].dense_shape, rows[1].dense_shape);
  g.Set(0, all);
}

// Returns the gradient that came through a branch or, without one, zeros that
// are alive if the branch was taken.
Output OfBranch(GradContext& g, int branch) {
  const Output out = g.out(branch);
  if (g.has_dy(branch) || out.dtype() != DataType::kResource)
    return g.dy(branch);
  return ZerosOfVariable(g, out, g.dy(1 - branch).dtype());
}

// The branch that ran supplies the gradient.
void SwitchGradient(GradContext& g) {
  if (OnlyRows(g)) {
    RowsOfBranches(g);
    return;
  }
  g.Set(0, Merge(g, {OfBranch(g, 0), OfBranch(g, 1)}).output);
}

}  // namespace

MR_GRADIENT(Switch)(GradContext& g) { SwitchGradient(g); }

MR_GRADIENT(RefSwitch)(GradContext& g) { SwitchGradient(g); }

}  // namespace millrace::ops
