#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Diag)(GradContext& g) { g.Set(0, DiagPart(g, g.dy())); }
MR_GRADIENT(DiagPart)(GradContext& g) { g.Set(0, Diag(g, g.dy())); }

MR_GRADIENT(MatrixBandPart)(GradContext& g) {
  g.Set(0, MatrixBandPart(g, g.dy(), g.in(1), g.in(2)));
}

}  // namespace millrace::ops
