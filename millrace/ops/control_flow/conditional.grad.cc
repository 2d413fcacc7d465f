// Gradients of conditionals: what is dead forwards is dead backwards.
#include "millrace/client/grad_context.h"

namespace millrace::ops {
namespace {

// The branch that ran gives the gradient. Where nothing came back through a
// branch there are zeros, alive if the branch was taken.
void SwitchGradient(GradContext& g) {
  if (g.in(0).dtype() == DataType::kResource) {
    g.Fail(
        Unimplemented("No gradient of a resource through a conditional yet"));
    return;
  }
  g.Set(0, Merge(g, {g.dy(0), g.dy(1)}).output);
}

// The gradient goes to the input that was alive.
void MergeGradient(GradContext& g) {
  if (g.num_inputs() == 1) {
    g.Set(0, g.dy());
    return;
  }
  Output rest = g.dy();
  for (int i = g.num_inputs() - 1; i > 0; --i) {
    const auto branches = Switch(g, rest, Equal(g, g.out(1), i));
    g.Set(i, branches.output_true);
    rest = branches.output_false;
  }
  g.Set(0, rest);
}

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: a file of declarations
using namespace millrace::ops;  // NOLINT

MR_GRADIENT(Switch)(GradContext& g) { SwitchGradient(g); }
MR_GRADIENT(RefSwitch)(GradContext& g) { SwitchGradient(g); }
MR_GRADIENT(Merge)(GradContext& g) { MergeGradient(g); }
MR_GRADIENT(RefMerge)(GradContext& g) { MergeGradient(g); }
