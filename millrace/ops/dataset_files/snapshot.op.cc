#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

// As in stock, the rank of the data set is not checked.
Status PathToDataset(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Scalar(c);
}

}  // namespace

MR_OP(SnapshotDataset){
    .inputs = "input_dataset: variant, path: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS
    "; compression: string = ''; reader_path_prefix: string = ''; "
    "writer_path_prefix: string = ''; shard_size_bytes: int = 10737418240; "
    "pending_snapshot_expiry_seconds: int = 86400; "
    "num_reader_threads: int = 1; reader_buffer_size: int = 1; "
    "num_writer_threads: int = 1; writer_buffer_size: int = 1; "
    "shuffle_on_read: bool = false; seed: int = 0; seed2: int = 0; "
    "mode: string = 'auto'; snapshot_name: string = ''",
    .shape = PathToDataset,
    .doc =
        "The elements, which the first pass writes to files below a folder, "
        "and later ones read instead of making them again.",
};

}  // namespace millrace::ops
