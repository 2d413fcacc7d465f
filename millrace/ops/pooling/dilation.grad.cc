#include "millrace/ops/pooling/pool.grad.h"

namespace millrace::ops {

MR_GRADIENT(Dilation2D)(GradContext& g) {
  const auto rates = g.Attr<std::vector<int64_t>>("rates");
  g.Set(0, Dilation2DBackpropInput(g, g.in(0), g.in(1), g.dy(), StridesOf(g),
                                   rates, PaddingOf(g)));
  g.Set(1, Dilation2DBackpropFilter(g, g.in(0), g.in(1), g.dy(), StridesOf(g),
                                    rates, PaddingOf(g)));
}

}  // namespace millrace::ops
