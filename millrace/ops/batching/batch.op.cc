#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status BatchShapes(ShapeContext& c) {
  const int count = c.num_inputs();
  for (int i = 0; i < count; ++i) {
    PartialShape shape = c.input(i);
    if (shape.known_rank() && shape.rank() == 0) {
      return InvalidArgument(
          "Out of range dim_index 0 for shape with 0 dimensions");
    }
    if (shape.known_rank()) shape.set_dim(0, kUnknownDim);
    c.set_output(i, std::move(shape));
  }
  c.set_output(count, PartialShape({kUnknownDim, 3}));
  c.set_output(count + 1, PartialShape({}));
  return OkStatus();
}

}  // namespace

MR_OP(Batch){
    .inputs = "in_tensors: T",
    .outputs = "batched_tensors: T, batch_index: int64, id: int64",
    .attrs =
        "num_batch_threads: int; max_batch_size: int; "
        "max_enqueued_batches: int = 10; batch_timeout_micros: int; "
        "allowed_batch_sizes: list(int) = []; grad_timeout_micros: int; "
        "container: string = ''; shared_name: string = ''; "
        "batching_queue: string = ''; T: list(type) >= 1",
    .flags = kChecks,
    .shape = BatchShapes,
    .doc =
        "Joins the rows of several runs. The last run of a batch gets the "
        "batch, with a table of the runs' ids and rows; all other runs get "
        "no rows and an empty table.",
};

}  // namespace millrace::ops
