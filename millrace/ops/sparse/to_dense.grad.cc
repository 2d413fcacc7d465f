#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

MR_GRADIENT(SparseToDense)(GradContext& g) {
  Output indices = g.in(0);
  if (indices.shape().known_rank() && indices.shape().rank() < 2) {
    indices = Reshape(g, indices, {-1, 1});
  }
  const Output values = GatherNd(g, g.dy(), indices);
  const Output taken = Sum(g, values, 0);
  const bool one_value =
      g.in(2).shape().known_rank() && g.in(2).shape().rank() == 0;
  g.Set(2, one_value ? taken : values);
  g.Set(3, Sub(g, Sum(g, g.dy(), Range(g, 0, RankOf(g, g.dy()), 1)), taken));
}

}  // namespace millrace::ops
