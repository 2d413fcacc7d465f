#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {

// The op reads only the lower half.
MR_GRADIENT(SelfAdjointEigV2)(GradContext& g) {
  const Output a = g.in(0);
  Output middle = MatrixDiag(g, g.dy(0));
  Output v = g.out(1);
  if (g.Attr<bool>("compute_v")) {
    if (g.has_dy(1)) {
      const Output f = InverseDifferences(g, g.out(0));
      middle =
          AddV2(g, middle, Mul(g, ConjOf(g, f), AdjointTimes(g, v, g.dy(1))));
    }
  } else {
    v = SelfAdjointEigV2(g, a).v;
  }
  Output da = Times(g, v, TimesAdjoint(g, middle, v));
  da = LowerTriangle(g, WithAdjoint(g, da));
  g.Set(0, MatrixSetDiag(g, da, HalfOf(g, MatrixDiagPart(g, da))));
}

}  // namespace millrace::ops
