// Gradients of ops that change the shape and keep the elements.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(Reshape)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}
MR_GRADIENT(ExpandDims)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}
MR_GRADIENT(Squeeze)(GradContext& g) {
  g.Set(0, ReshapeLike(g, g.dy(), g.in(0)));
}

MR_GRADIENT(EnsureShape)(GradContext& g) { g.Set(0, g.gradient()); }

}  // namespace millrace::ops
