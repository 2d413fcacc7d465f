// The gradient of lookups in variables is rows, like that of lookups in
// tensors.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(ResourceGather)(GradContext& g) {
  if (g.Attr<int64_t>("batch_dims") != 0) {
    g.Fail(Unimplemented("No gradient of ResourceGather with batch_dims"));
    return;
  }
  const Output indices = g.in(1);
  // Colocated with the variable, since only its shape is needed.
  const Output shape = VariableShape(g.scope().ColocateWith(g.in(0)), g.in(0));
  const Output count = ExpandDims(g, SizeOf(g, indices), 0);
  const Output values_shape =
      ConcatV2(g, {count, Part(g, shape, 1, kToEnd)}, 0);
  g.Set(0, IndexedSlices{Reshape(g, g.dy(), values_shape),
                         Reshape(g, indices, count), shape});
}

}  // namespace millrace::ops
