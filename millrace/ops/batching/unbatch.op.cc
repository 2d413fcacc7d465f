#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status UnbatchShape(ShapeContext& c) {
  PartialShape shape = c.input(0);
  if (!shape.known_rank()) return c.Return(PartialShape());
  if (shape.rank() == 0) {
    return InvalidArgument(
        "Out of range dim_index 0 for shape with 0 dimensions");
  }
  shape.set_dim(0, kUnknownDim);
  return c.Return(std::move(shape));
}

Status UnbatchGradShape(ShapeContext& c) {
  const PartialShape& grad = c.input(2);
  return c.Return(grad.known_rank() ? PartialShape::UnknownOfRank(grad.rank())
                                    : PartialShape());
}

}  // namespace

MR_OP(Unbatch){
    .inputs = "batched_tensor: T, batch_index: int64, id: int64",
    .outputs = "unbatched_tensor: T",
    .attrs =
        "timeout_micros: int; container: string = ''; "
        "shared_name: string = ''; T: type",
    .flags = kChecks,
    .shape = UnbatchShape,
    .doc =
        "Gives each run its rows of what was computed of a batch (see "
        "Batch), which the run that has the batch brings.",
};

MR_OP(UnbatchGrad){
    .inputs = "original_input: T, batch_index: int64, grad: T, id: int64",
    .outputs = "batched_grad: T",
    .attrs = "container: string = ''; shared_name: string = ''; T: type",
    .flags = kChecks,
    .shape = UnbatchGradShape,
    .doc =
        "The gradient of Unbatch: joins the gradients of all runs of a "
        "batch for the run that has the batch.",
};

}  // namespace millrace::ops
