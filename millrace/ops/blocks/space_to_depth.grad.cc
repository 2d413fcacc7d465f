#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(SpaceToDepth)(GradContext& g) {
  g.Set(0, DepthToSpace(g, g.dy(), g.Attr<int64_t>("block_size"),
                        {.data_format = g.Attr<std::string>("data_format")}));
}

MR_GRADIENT(DepthToSpace)(GradContext& g) {
  g.Set(0, SpaceToDepth(g, g.dy(), g.Attr<int64_t>("block_size"),
                        {.data_format = g.Attr<std::string>("data_format")}));
}

}  // namespace millrace::ops
