// The gradient of a mean goes to all elements equally.
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/pooling/pool.grad.h"

namespace millrace::ops {

MR_GRADIENT(AvgPool)(GradContext& g) {
  g.Set(0, AvgPoolGrad(g, ShapeOf(g, g.in(0)), g.dy(), KsizeOf(g), StridesOf(g),
                       PaddingOf(g), FormatOf<AvgPoolGradOptions>(g)));
}
MR_GRADIENT(AvgPoolGrad)(GradContext& g) {
  g.Set(1, AvgPool(g, g.dy(), KsizeOf(g), StridesOf(g), PaddingOf(g),
                   FormatOf<AvgPoolOptions>(g)));
}
MR_GRADIENT(AvgPool3D)(GradContext& g) {
  g.Set(0,
        AvgPool3DGrad(g, ShapeOf(g, g.in(0)), g.dy(), KsizeOf(g), StridesOf(g),
                      PaddingOf(g), FormatOf<AvgPool3DGradOptions>(g)));
}
MR_GRADIENT(AvgPool3DGrad)(GradContext& g) {
  g.Set(1, AvgPool3D(g, g.dy(), KsizeOf(g), StridesOf(g), PaddingOf(g),
                     FormatOf<AvgPool3DOptions>(g)));
}

}  // namespace millrace::ops
