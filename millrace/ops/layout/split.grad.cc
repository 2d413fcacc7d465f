#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/layout/output_gradients.grad.h"

namespace millrace::ops {
namespace {

// Concatenates the gradients of the pieces. ConcatV2 takes at least two values.
Output JoinedDys(GradContext& g, const Output& axis) {
  return g.num_outputs() == 1 ? g.dy() : ConcatV2(g, OutputGradients(g), axis);
}

}  // namespace

MR_GRADIENT(Split)(GradContext& g) { g.Set(1, JoinedDys(g, g.in(0))); }
MR_GRADIENT(SplitV)(GradContext& g) { g.Set(0, JoinedDys(g, g.in(2))); }

}  // namespace millrace::ops
