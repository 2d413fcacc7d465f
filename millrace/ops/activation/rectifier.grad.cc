// Gradients of activations with an exponential or a slope below zero.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns dy where the output y is below 0, for gradients expressed by y.
Output WhereNegative(GradContext& g, const Output& y, const Output& dy) {
  const Output zeros = ZerosLike(g, y);
  return SelectV2(g, Less(g, y, zeros), dy, zeros);
}

}  // namespace

MR_GRADIENT(Softplus)(GradContext& g) {
  g.Set(0, SoftplusGrad(g, g.dy(), g.in(0)));
}
MR_GRADIENT(SoftplusGrad)(GradContext& g) {
  const Output x = g.in(1);
  g.Set(0, SoftplusGrad(g, g.dy(), x));
  // The derivative of a sigmoid.
  const Output below =
      AddV2(g, Exp(g, Neg(g, x)), AddV2(g, NumberLike(g, x, 2), Exp(g, x)));
  g.Set(1, RealDiv(g, Mul(g, g.dy(), g.in(0)), below));
}
MR_GRADIENT(Softsign)(GradContext& g) {
  g.Set(0, SoftsignGrad(g, g.dy(), g.in(0)));
}
MR_GRADIENT(Elu)(GradContext& g) { g.Set(0, EluGrad(g, g.dy(), g.out())); }
MR_GRADIENT(EluGrad)(GradContext& g) {
  g.Set(0, EluGrad(g, g.dy(), g.in(1)));
  g.Set(1, WhereNegative(g, g.in(1), Mul(g, g.dy(), g.in(0))));
}
MR_GRADIENT(Selu)(GradContext& g) { g.Set(0, SeluGrad(g, g.dy(), g.out())); }
MR_GRADIENT(SeluGrad)(GradContext& g) {
  g.Set(0, SeluGrad(g, g.dy(), g.in(1)));
  g.Set(1, WhereNegative(g, g.in(1), Mul(g, g.dy(), g.in(0))));
}
MR_GRADIENT(LeakyRelu)(GradContext& g) {
  g.Set(0,
        LeakyReluGrad(g, g.dy(), g.in(0), {.alpha = g.Attr<float>("alpha")}));
}
MR_GRADIENT(LeakyReluGrad)(GradContext& g) {
  g.Set(0,
        LeakyReluGrad(g, g.dy(), g.in(1), {.alpha = g.Attr<float>("alpha")}));
  g.Set(1, ZerosLike(g, g.in(1)));
}

}  // namespace millrace::ops
