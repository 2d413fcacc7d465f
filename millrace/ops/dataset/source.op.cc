#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(TensorDataset){
    .inputs = "components: Toutput_types",
    .outputs = "handle: variant",
    .attrs =
        "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
        "metadata: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A data set of one element.",
};

MR_OP(TensorSliceDataset){
    .inputs = "components: Toutput_types",
    .outputs = "handle: variant",
    .attrs =
        "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
        "is_files: bool = false; metadata: string = ''; "
        "replicate_on_split: bool = false",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A data set of the slices along the first dimension.",
};

MR_OP(RangeDataset){
    .inputs = "start: int64, stop: int64, step: int64",
    .outputs = "handle: variant",
    .attrs =
        "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
        "metadata: string = ''; replicate_on_split: bool = false",
    .flags = kStateful | kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "A data set of the numbers from start to before stop.",
};

}  // namespace millrace::ops
