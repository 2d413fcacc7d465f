#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

// Reshapes the gradient [a*n, b*m] to [n, a, m, b] and sums it over n and m.
MR_GRADIENT(Tile)(GradContext& g) {
  const Output shape = ShapeOf(g, g.in(0), g.in(1).dtype());
  const Output split = Reshape(g, Pack(g, {g.in(1), shape}, {.axis = 1}), {-1});
  const Output axes = Range(g, 0, Size(g, split), 2);
  const Output dx = Sum(g, Reshape(g, g.dy(), split), axes);
  g.Set(0, Reshape(g, dx, shape));
}

MR_GRADIENT(BroadcastTo)(GradContext& g) {
  g.Set(0, ReduceBroadcast(g, g.in(0), g.out(), g.dy(), {}).first);
}

}  // namespace millrace::ops
