// Gradients of softmax and of the losses that contain it.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

Output RowSum(GradContext& g, const Output& x) {
  return Sum(g, x, {-1}, {.keep_dims = true});
}

// Multiplies each row by its number.
Output ScaleRows(GradContext& g, const Output& scale, const Output& rows) {
  return Mul(g, ExpandDims(g, scale, -1), rows);
}

// Returns the gradient of the logits of a loss whose second output is its
// gradient.
Output LossGradient(GradContext& g) {
  const Output first = ScaleRows(g, g.dy(0), g.out(1));
  if (!g.has_dy(1)) return first;
  // The derivative of the loss's gradient is that of softmax.
  const Output softmax = Softmax(g, g.in(0));
  const Output dy = g.dy(1);
  return AddV2(g, first,
               Mul(g, Sub(g, dy, RowSum(g, Mul(g, dy, softmax))), softmax));
}

}  // namespace

MR_GRADIENT(Softmax)(GradContext& g) {
  const Output y = g.out();
  g.Set(0, Mul(g, Sub(g, g.dy(), RowSum(g, Mul(g, g.dy(), y))), y));
}

MR_GRADIENT(LogSoftmax)(GradContext& g) {
  g.Set(0, Sub(g, g.dy(), Mul(g, RowSum(g, g.dy()), Exp(g, g.out()))));
}

MR_GRADIENT(SoftmaxCrossEntropyWithLogits)(GradContext& g) {
  g.Set(0, LossGradient(g));
  g.Set(1, ScaleRows(g, g.dy(0), Neg(g, LogSoftmax(g, g.in(0)))));
}

MR_GRADIENT(SparseSoftmaxCrossEntropyWithLogits)(GradContext& g) {
  g.Set(0, LossGradient(g));
}

}  // namespace millrace::ops
