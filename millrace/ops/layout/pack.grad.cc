#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/layout/all_dys.grad.h"

namespace millrace::ops {

MR_GRADIENT(Pack)(GradContext& g) {
  const std::vector<Output> dxs =
      Unpack(g, g.dy(), g.num_inputs(), {.axis = g.Attr<int64_t>("axis")});
  for (int i = 0; i < g.num_inputs(); ++i)
    g.Set(i, dxs[static_cast<size_t>(i)]);
}

MR_GRADIENT(Unpack)(GradContext& g) {
  g.Set(0, Pack(g, AllDys(g), {.axis = g.Attr<int64_t>("axis")}));
}

}  // namespace millrace::ops
