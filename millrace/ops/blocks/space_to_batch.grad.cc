#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(SpaceToBatch)(GradContext& g) {
  g.Set(0, BatchToSpace(g, g.dy(), g.in(1), g.Attr<int64_t>("block_size")));
}
MR_GRADIENT(BatchToSpace)(GradContext& g) {
  g.Set(0, SpaceToBatch(g, g.dy(), g.in(1), g.Attr<int64_t>("block_size")));
}
MR_GRADIENT(SpaceToBatchND)(GradContext& g) {
  g.Set(0, BatchToSpaceND(g, g.dy(), g.in(1), g.in(2)));
}
MR_GRADIENT(BatchToSpaceND)(GradContext& g) {
  g.Set(0, SpaceToBatchND(g, g.dy(), g.in(1), g.in(2)));
}

}  // namespace millrace::ops
