#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {

MR_GRADIENT(MatrixInverse)(GradContext& g) {
  const Output y = g.out();
  const Output dy = g.dy();
  // For y = A^-1 the gradient is -y^H dy y^H; for y = A^-H it is the adjoint of
  // that.
  g.Set(0, Neg(g, g.Attr<bool>("adjoint")
                      ? Times(g, y, AdjointTimes(g, dy, y))
                      : AdjointTimes(g, y, TimesAdjoint(g, dy, y))));
}

}  // namespace millrace::ops
