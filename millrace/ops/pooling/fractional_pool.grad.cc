#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/pooling/pool.grad.h"

namespace millrace::ops {

MR_GRADIENT(FractionalMaxPool)(GradContext& g) {
  g.Set(0,
        FractionalMaxPoolGrad(g, g.in(0), g.out(0), g.dy(0), g.out(1), g.out(2),
                              {.overlapping = g.Attr<bool>("overlapping")}));
}
MR_GRADIENT(FractionalAvgPool)(GradContext& g) {
  g.Set(0, FractionalAvgPoolGrad(g, ShapeOf(g, g.in(0), DataType::kInt64),
                                 g.dy(0), g.out(1), g.out(2),
                                 {.overlapping = g.Attr<bool>("overlapping")}));
}

}  // namespace millrace::ops
