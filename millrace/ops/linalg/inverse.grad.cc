#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/linalg/matrices.grad.h"

namespace millrace::ops {

MR_GRADIENT(MatrixInverse)(GradContext& g) {
  const Output y = g.out();
  const Output dy = g.dy();
  // y = A^-1: -y^H dy y^H; y = A^-H: its adjoint.
  g.Set(0, Neg(g, g.Attr<bool>("adjoint")
                      ? Times(g, y, AdjointTimes(g, dy, y))
                      : AdjointTimes(g, y, TimesAdjoint(g, dy, y))));
}

}  // namespace millrace::ops
