#include "millrace/graph/shape_context.h"

namespace millrace::ops {

#define MR_DATA_FORMATS                                                  \
  "T: {int32, int64} = int32; src_format: string = 'NHWC'; dst_format: " \
  "string = 'NCHW'"

MR_OP(DataFormatDimMap){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = MR_DATA_FORMATS,
    .shape = shapes::Unchanged,
    .doc =
        "Where dimensions of the one format are in the other. Negative numbers "
        "count from the end.",
};
MR_OP(DataFormatVecPermute){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = MR_DATA_FORMATS,
    .shape = shapes::Unchanged,
    .doc =
        "Reorders numbers, or pairs of them, from the one format to the other: "
        "one for each dimension, or for each spatial dimension.",
};

}  // namespace millrace::ops
