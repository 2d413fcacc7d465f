#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// The gradient of the logits is output 1, which cannot be differentiated again.
void SetCtcGradient(GradContext& g) {
  const Output gradient = PreventGradient(
      g, g.out(1), {.message = "CTCLoss has no second derivative"});
  g.Set(0, Mul(g, ExpandDims(g, g.dy(0), -1), gradient));
}

}  // namespace

MR_GRADIENT(CTCLoss)(GradContext& g) { SetCtcGradient(g); }
MR_GRADIENT(CTCLossV2)(GradContext& g) { SetCtcGradient(g); }

}  // namespace millrace::ops
