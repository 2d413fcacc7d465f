#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(Fill)(GradContext& g) {
  g.Set(1, Sum(g, g.dy(), Range(g, 0, RankOf(g, g.dy()), 1)));
}

MR_NO_GRADIENT(Const);
MR_NO_GRADIENT(ZerosLike);
MR_NO_GRADIENT(OnesLike);

}  // namespace millrace::ops
