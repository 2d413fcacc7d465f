#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(PrefetchDataset){
    .inputs = "input_dataset: variant, buffer_size: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS
    "; slack_period: int = 0; legacy_autotune: bool = true; "
    "buffer_size_min: int = 0" MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Elements produced before they are asked for.",
};

}  // namespace millrace::ops
