// Schemas of ops that iterate over a whole data set in one step.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(ReduceDataset){
    .inputs =
        "input_dataset: variant, initial_state: Tstate, "
        "other_arguments: Targuments",
    .outputs = "components: output_types",
    .attrs = "f: func; Tstate: list(type) >= 1; " MR_FUNCTION_ATTRS
             "; use_inter_op_parallelism: bool = true" MR_METADATA,
    .flags = kStateful,
    .shape = ReducedShapes,
    .doc =
        "Applies a function to a state and one element after the other, and "
        "returns the last state.",
};

MR_OP(DatasetToSingleElement){
    .inputs = "dataset: variant",
    .outputs = "components: output_types",
    .attrs =
        "output_types: list(type) >= 1; output_shapes: list(shape) >= "
        "1" MR_METADATA,
    .flags = kStateful,
    .shape = ReducedShapes,
    .doc = "The element of a data set that has one.",
};

}  // namespace millrace::ops
