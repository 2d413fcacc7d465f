#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(SparseReorder)(GradContext& g) {
  const Output entries = Range(g, 0, Element(g, ShapeOf(g, g.in(0)), 0), 1);
  const auto ordered = SparseReorder(g, g.in(0), entries, g.in(2));
  g.Set(1,
        GatherV2(g, g.dy(1), InvertPermutation(g, ordered.output_values), 0));
}

}  // namespace millrace::ops
