#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(WindowDataset){
    .inputs =
        "input_dataset: variant, size: int64, shift: int64, stride: "
        "int64, drop_remainder: bool",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "Data sets of so many elements, one for each component.",
};

}  // namespace millrace::ops
