// Gradients of gradient ops, whose inputs are an output y and the gradient dy
// of it.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Sets both gradients of `op`, which is ReciprocalGrad under one of its names.
void SetReciprocalGrad(GradContext& g,
                       Output (*op)(const Scope&, const Input&, const Input&)) {
  const Output y = ConjOf(g, g.in(0));
  g.Set(0, Mul(g, Mul(g, Mul(g, ConjOf(g, g.dy()), -2), g.in(1)), y));
  g.Set(1, op(g, y, g.dy()));
}

}  // namespace

MR_GRADIENT(SigmoidGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  const Output b = Mul(g, g.dy(), ConjOf(g, g.in(1)));
  g.Set(0, Sub(g, b, Mul(g, Mul(g, b, 2), y)));
  g.Set(1, SigmoidGrad(g, y, g.dy()));
}

MR_GRADIENT(TanhGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  g.Set(0, Mul(g, Mul(g, Mul(g, g.dy(), -2), ConjOf(g, g.in(1))), y));
  g.Set(1, TanhGrad(g, y, g.dy()));
}

MR_GRADIENT(SqrtGrad)(GradContext& g) {
  const Output quotient = RealDiv(g, g.dy(), g.in(0));
  g.Set(0, Neg(g, Mul(g, ConjOf(g, quotient), g.out())));
  g.Set(1, Mul(g, quotient, 0.5));
}

MR_GRADIENT(RsqrtGrad)(GradContext& g) {
  const Output y = ConjOf(g, g.in(0));
  const Output b = Mul(g, Mul(g, ConjOf(g, g.dy()), -1.5), g.in(1));
  g.Set(0, Mul(g, b, Square(g, y)));
  g.Set(1, RsqrtGrad(g, y, g.dy()));
}

MR_GRADIENT(ReciprocalGrad)(GradContext& g) {
  SetReciprocalGrad(g, ReciprocalGrad);
}
MR_GRADIENT(InvGrad)(GradContext& g) { SetReciprocalGrad(g, InvGrad); }

}  // namespace millrace::ops
