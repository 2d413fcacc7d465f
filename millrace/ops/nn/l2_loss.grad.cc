#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(L2Loss)(GradContext& g) { g.Set(0, Mul(g, g.in(0), g.dy())); }

}  // namespace millrace::ops
