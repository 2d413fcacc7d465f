#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Affine)(GradContext& g) {
  const Output scale = NumberLike(g, g.dy(), g.Attr<float>("scale"));
  g.Set(0, Mul(g, g.dy(), scale));
}

}  // namespace millrace::ops
