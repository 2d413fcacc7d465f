#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// The result is (t - m) factor + beta with factor = 1 / sqrt(v + epsilon),
// multiplied by gamma if the op scales.
MR_GRADIENT(BatchNormWithGlobalNormalization)(GradContext& g) {
  const Output t = g.in(0), m = g.in(1), v = g.in(2), gamma = g.in(4);
  const bool scales = g.Attr<bool>("scale_after_normalization");
  const Output variance = AddV2(g, v, g.Attr<float>("variance_epsilon"));
  const Output r = Rsqrt(g, variance);
  const Output factor = scales ? Output(Mul(g, r, gamma)) : r;
  const Output sum = Sum(g, g.dy(), {0, 1, 2});
  const Output along = Sum(g, Mul(g, g.dy(), Sub(g, t, m)), {0, 1, 2});
  g.Set(0, Mul(g, g.dy(), factor));
  g.Set(1, Neg(g, Mul(g, sum, factor)));
  g.Set(2, Mul(g, Mul(g, along, RealDiv(g, factor, variance)), -0.5));
  g.Set(3, sum);
  g.Set(4, scales ? Output(Mul(g, along, r)) : Output(ZerosLike(g, gamma)));
}

}  // namespace millrace::ops
