#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns the gradient of the updates: its slices at their places.
Output OfUpdates(GradContext& g) {
  return GatherNd(
      g, g.dy(), g.in(1),
      {.bad_indices_policy = g.Attr<std::string>("bad_indices_policy")});
}

}  // namespace

MR_GRADIENT(ScatterNdNonAliasingAdd)(GradContext& g) {
  g.Set(0, g.dy());
  g.Set(2, OfUpdates(g));
}
MR_GRADIENT(TensorScatterAdd)(GradContext& g) {
  g.Set(0, g.dy());
  g.Set(2, OfUpdates(g));
}
MR_GRADIENT(TensorScatterSub)(GradContext& g) {
  g.Set(0, g.dy());
  g.Set(2, Neg(g, OfUpdates(g)));
}
MR_GRADIENT(TensorScatterUpdate)(GradContext& g) {
  g.Set(0,
        TensorScatterUpdate(
            g, g.dy(), g.in(1), ZerosLike(g, g.in(2)),
            {.bad_indices_policy = g.Attr<std::string>("bad_indices_policy")}));
  g.Set(2, OfUpdates(g));
}

}  // namespace millrace::ops
