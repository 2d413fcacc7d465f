#include "millrace/graph/shape_context.h"

namespace millrace::ops {

#define MR_SLICE_INPUTS "begin: Index, end: Index, strides: Index, value: T"
#define MR_SLICE_ATTRS                                                       \
  "T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; " \
  "ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"

MR_OP(StridedSliceAssign){
    .inputs = "ref: Ref(T), " MR_SLICE_INPUTS,
    .outputs = "output_ref: Ref(T)",
    .attrs = MR_SLICE_ATTRS,
    .shape = shapes::Unchanged,
    .doc =
        "Writes `value`, broadcast, where StridedSlice would read from the "
        "variable.",
};
MR_OP(ResourceStridedSliceAssign){
    .inputs = "ref: resource, " MR_SLICE_INPUTS,
    .attrs = MR_SLICE_ATTRS,
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Writes `value`, broadcast, where StridedSlice would read from the "
        "variable.",
};
MR_OP(TensorStridedSliceUpdate){
    .inputs = "input: T, " MR_SLICE_INPUTS,
    .outputs = "output: T",
    .attrs = MR_SLICE_ATTRS,
    .shape = shapes::Unchanged,
    .doc =
        "`input` with `value`, broadcast, where StridedSlice would read from "
        "it.",
};

}  // namespace millrace::ops
