#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(ZipDataset){
    .inputs = "input_datasets: N * variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS "; N: int >= 1" MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc = "The components of one element of each, until one ends.",
};

MR_OP(ConcatenateDataset){
    .inputs = "input_dataset: variant, another_dataset: variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The elements of the one, then those of the other.",
};

}  // namespace millrace::ops
