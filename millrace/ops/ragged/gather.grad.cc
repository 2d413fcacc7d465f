#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

// Output row k is row rows[k] of the values, where `rows` are those of all
// indices one after the other.
MR_GRADIENT(RaggedGather)(GradContext& g) {
  const int levels = g.num_inputs() - 2;
  const Output& values = g.in(levels);
  const Output indices = Reshape(g, g.in(levels + 1), {-1});
  // Where the values of each row of the first level begin and end.
  Output begins = g.in(0);
  for (int i = 1; i < levels; ++i) begins = Gather(g, g.in(i), begins);
  const auto rows = RaggedRange(
      g, Gather(g, begins, indices),
      Gather(g, begins, AddV2(g, indices, NumberLike(g, indices, 1))),
      NumberLike(g, begins, 1), {.Tsplits = begins.dtype()});
  g.Set(levels,
        UnsortedSegmentSum(g, g.dy(g.num_outputs() - 1), rows.rt_dense_values,
                           Element(g, ShapeOf(g, values), 0)));
}

}  // namespace millrace::ops
