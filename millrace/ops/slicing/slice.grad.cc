#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(Slice)(GradContext& g) {
  const DataType index = g.in(1).dtype();
  const Output before = g.in(1);
  const Output taken = ShapeOf(g, g.out(), index);
  const Output after =
      Sub(g, Sub(g, ShapeOf(g, g.in(0), index), taken), before);
  g.Set(0, Pad(g, g.dy(), Pack(g, {before, after}, {.axis = 1})));
}

}  // namespace millrace::ops
