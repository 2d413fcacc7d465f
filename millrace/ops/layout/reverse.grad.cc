#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Reverse)(GradContext& g) { g.Set(0, Reverse(g, g.dy(), g.in(1))); }

MR_GRADIENT(ReverseV2)(GradContext& g) {
  g.Set(0, ReverseV2(g, g.dy(), g.in(1)));
}

MR_GRADIENT(ReverseSequence)(GradContext& g) {
  g.Set(0, ReverseSequence(g, g.dy(), g.in(1), g.Attr<int64_t>("seq_dim"),
                           {.batch_dim = g.Attr<int64_t>("batch_dim")}));
}

}  // namespace millrace::ops
