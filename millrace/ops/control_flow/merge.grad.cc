#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Passes the gradient to the input that was alive.
void MergeGradient(GradContext& g) {
  Gradient rest = g.gradient();
  for (int i = g.num_inputs() - 1; i > 0; --i) {
    const Output chosen = Equal(g, g.out(1), i);
    Gradient taken;
    // Gives `taken` its part of the remaining gradient.
    const auto split = [&](Output* part, Output* other) {
      if (!*other) return;
      const auto branches = Switch(g, *other, chosen);
      *part = branches.output_true;
      *other = branches.output_false;
    };
    split(&taken.tensor, &rest.tensor);
    split(&taken.slices.values, &rest.slices.values);
    split(&taken.slices.indices, &rest.slices.indices);
    split(&taken.slices.dense_shape, &rest.slices.dense_shape);
    g.Set(i, taken);
  }
  g.Set(0, rest);
}

}  // namespace

MR_GRADIENT(Merge)(GradContext& g) { MergeGradient(g); }

MR_GRADIENT(RefMerge)(GradContext& g) { MergeGradient(g); }

}  // namespace millrace::ops
