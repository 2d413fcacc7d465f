// Gradients of distributing rows over tensors and stitching them together.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/layout/output_gradients.grad.h"

namespace millrace::ops {
namespace {

// Sets the gradients of the data, the second half of the inputs.
void StitchGradient(GradContext& g) {
  const int count = g.num_inputs() / 2;
  for (int i = 0; i < count; ++i)
    g.Set(count + i, GatherV2(g, g.dy(), g.in(i), 0));
}

}  // namespace

MR_GRADIENT(DynamicPartition)(GradContext& g) {
  const int64_t count = g.Attr<int64_t>("num_partitions");
  const Output shape = ShapeOf(g, g.in(1));
  const Output numbers = Reshape(g, Range(g, 0, Prod(g, shape, {0}), 1), shape);
  const std::vector<Output> places =
      DynamicPartition(g, numbers, g.in(1), count);
  const Output rows = ParallelDynamicStitch(g, places, OutputGradients(g));
  g.Set(0, Reshape(g, rows, ShapeOf(g, g.in(0))));
}

MR_GRADIENT(DynamicStitch)(GradContext& g) { StitchGradient(g); }
MR_GRADIENT(ParallelDynamicStitch)(GradContext& g) { StitchGradient(g); }

}  // namespace millrace::ops
