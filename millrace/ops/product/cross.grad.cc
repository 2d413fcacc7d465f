#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Cross)(GradContext& g) {
  g.Set(0, Cross(g, g.in(1), g.dy()));
  g.Set(1, Cross(g, g.dy(), g.in(0)));
}

}  // namespace millrace::ops
