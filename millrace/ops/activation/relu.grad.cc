#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Relu)(GradContext& g) { g.Set(0, ReluGrad(g, g.dy(), g.out())); }
MR_GRADIENT(Relu6)(GradContext& g) { g.Set(0, Relu6Grad(g, g.dy(), g.out())); }

MR_GRADIENT(ReluGrad)(GradContext& g) {
  g.Set(0, ReluGrad(g, g.dy(), g.in(1)));
  g.Set(1, ZerosLike(g, g.in(1)));
}
MR_GRADIENT(Relu6Grad)(GradContext& g) {
  g.Set(0, Relu6Grad(g, g.dy(), g.in(1)));
  g.Set(1, ZerosLike(g, g.in(1)));
}

}  // namespace millrace::ops
