// Moving blocks one way is the gradient of moving them the other way.
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
MR_GRADIENT(SpaceToDepth)(GradContext& g) {
  g.Set(0, DepthToSpace(g, g.dy(), g.Attr<int64_t>("block_size"),
                        {.data_format = g.Attr<std::string>("data_format")}));
}
MR_GRADIENT(DepthToSpace)(GradContext& g) {
  g.Set(0, SpaceToDepth(g, g.dy(), g.Attr<int64_t>("block_size"),
                        {.data_format = g.Attr<std::string>("data_format")}));
}

}  // namespace millrace::ops
