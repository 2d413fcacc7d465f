#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(LRN)(GradContext& g) {
  LRNGradOptions options;
  options.depth_radius = g.Attr<int64_t>("depth_radius");
  options.bias = g.Attr<float>("bias");
  options.alpha = g.Attr<float>("alpha");
  options.beta = g.Attr<float>("beta");
  g.Set(0, LRNGrad(g, g.dy(), g.in(0), g.out(), options));
}

}  // namespace millrace::ops
