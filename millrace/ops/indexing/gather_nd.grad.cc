#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Sets the gradient of what was gathered from, which has this shape, by
// indices of the type of `shape`.
void SetGathered(GradContext& g, const Output& indices, const Output& shape,
                 const std::string& policy) {
  const PartialShape known = indices.shape();
  if (known.known_rank() && known.rank() == 2 && known.dim(1) == 1) {
    g.Set(0, IndexedSlices{g.dy(), Squeeze(g, indices, {.squeeze_dims = {-1}}),
                           shape});
    return;
  }
  g.Set(0,
        ScatterNd(g, indices, g.dy(), shape, {.bad_indices_policy = policy}));
}

}  // namespace

MR_GRADIENT(GatherNd)(GradContext& g) {
  // Rows cannot be added up by int16 indices.
  Output indices = g.in(1);
  if (indices.dtype() == DataType::kInt16)
    indices = Cast(g, indices, DataType::kInt32);
  const Output shape = ShapeOf(g, g.in(0), indices.dtype());
  SetGathered(g, indices, shape, g.Attr<std::string>("bad_indices_policy"));
}

MR_GRADIENT(ResourceGatherNd)(GradContext& g) {
  const Output indices = g.in(1);
  // Colocated with the variable, since only its shape is needed.
  const Output shape = VariableShape(g.scope().ColocateWith(g.in(0)), g.in(0),
                                     {.out_type = indices.dtype()});
  SetGathered(g, indices, shape, "");
}

}  // namespace millrace::ops
