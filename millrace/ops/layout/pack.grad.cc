#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/layout/output_gradients.grad.h"

namespace millrace::ops {

MR_GRADIENT(Pack)(GradContext& g) {
  const std::vector<Output> dxs =
      Unpack(g, g.dy(), g.num_inputs(), {.axis = g.Attr<int64_t>("axis")});
  for (int i = 0; i < g.num_inputs(); ++i)
    g.Set(i, dxs[static_cast<size_t>(i)]);
}

MR_GRADIENT(Unpack)(GradContext& g) {
  g.Set(0, Pack(g, OutputGradients(g), {.axis = g.Attr<int64_t>("axis")}));
}

}  // namespace millrace::ops
