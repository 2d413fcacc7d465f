#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(TakeDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The first elements; all for a negative count.",
};

MR_OP(SkipDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "All but the first elements; none for a negative count.",
};

MR_OP(RepeatDataset){
    .inputs = "input_dataset: variant, count: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc =
        "The elements, several times over; without end for a negative "
        "count.",
};

MR_OP(ShardDataset){
    .inputs = "input_dataset: variant, num_shards: int64, index: int64",
    .outputs = "handle: variant",
    .attrs = "require_non_empty: bool = false; " MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Every num_shards-th element, from number index.",
};

}  // namespace millrace::ops
