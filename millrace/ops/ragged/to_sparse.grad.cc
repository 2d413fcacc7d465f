#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(RaggedTensorToSparse)(GradContext& g) {
  const int values = g.num_inputs() - 1;
  g.Set(values, Reshape(g, g.dy(1), ShapeOf(g, g.in(values))));
}

}  // namespace millrace::ops
