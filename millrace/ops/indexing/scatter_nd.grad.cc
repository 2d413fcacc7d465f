#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(ScatterNd)(GradContext& g) {
  g.Set(1, GatherNd(g, g.dy(), g.in(0)));
}

}  // namespace millrace::ops
