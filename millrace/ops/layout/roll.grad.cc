#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Roll)(GradContext& g) {
  g.Set(0, Roll(g, g.dy(), Neg(g, g.in(1)), g.in(2)));
}

}  // namespace millrace::ops
