// Gradients of switches: what is dead in the forward pass is dead in the
// gradient.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/control_flow/all_rows.grad.h"

namespace millrace::ops {
namespace {

// Returns the rows with all outputs alive where the values are: indices may
// come from outside of the branch.
IndexedSlices AliveWithValues(GradContext& g, IndexedSlices rows) {
  const Scope there = g.scope().WithControlDependencies({rows.values});
  rows.indices = Identity(there, rows.indices);
  if (rows.dense_shape) rows.dense_shape = Identity(there, rows.dense_shape);
  return rows;
}

// Returns the gradient that came through a branch as a tensor or, without one,
// zeros of the type that are alive if the branch was taken.
Output OfBranch(GradContext& g, int branch, DataType type) {
  const Output out = g.out(branch);
  if (g.has_dy(branch) || out.dtype() != DataType::kResource)
    return g.dy(branch);
  return ZerosOfVariable(g, out, type);
}

// Sets a gradient of rows, those of the branch `known` and of the other one. As
// in TensorFlow, a tensor or zeros count as all rows there: an optimizer with
// slots then moves all of them.
void RowsOfBranches(GradContext& g, int known) {
  const IndexedSlices like = g.gradient(known).slices;
  IndexedSlices rows[2];
  for (int i = 0; i < 2; ++i) {
    rows[i] = g.gradient(i).is_slices()
                  ? AliveWithValues(g, g.gradient(i).slices)
                  : AllRows(g, OfBranch(g, i, like.dtype()), like);
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

// The branch that ran supplies the gradient.
void SwitchGradient(GradContext& g) {
  for (int i = 0; i < 2; ++i) {
    if (!g.gradient(i).is_slices()) continue;
    RowsOfBranches(g, i);
    return;
  }
  const DataType type = g.gradient(g.has_dy(0) ? 0 : 1).tensor.dtype();
  g.Set(0, Merge(g, {OfBranch(g, 0, type), OfBranch(g, 1, type)}).output);
}

}  // namespace

MR_GRADIENT(Switch)(GradContext& g) { SwitchGradient(g); }

MR_GRADIENT(RefSwitch)(GradContext& g) { SwitchGradient(g); }

}  // namespace millrace::ops
