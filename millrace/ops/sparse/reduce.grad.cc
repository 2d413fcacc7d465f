#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/sparse/ratio.grad.h"

namespace millrace::ops {

MR_GRADIENT(SparseReduceSum)(GradContext& g) {
  const Output shape = g.in(2);
  const Output rank = Size(g, shape);
  const Output axes =
      Reshape(g, FloorMod(g, Add(g, g.in(3), rank), rank), {-1});
  // The input's shape with ones in place of the reduced sizes.
  const Output kept = DynamicStitch(
      g, {Range(g, 0, rank, 1), axes},
      {shape, Fill(g, ShapeOf(g, axes), Const(g, 1, DataType::kInt64))});
  const Output dy = Reshape(g, g.dy(), kept);
  g.Set(1, GatherNd(g, dy, FloorDiv(g, g.in(0), Ratio(g, shape, kept))));
}

}  // namespace millrace::ops
