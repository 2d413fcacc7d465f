#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(GeneratorDataset){
    .inputs =
        "init_func_other_args: Tinit_func_args, next_func_other_args: "
        "Tnext_func_args, finalize_func_other_args: Tfinalize_func_args",
    .outputs = "handle: variant",
    .attrs =
        "init_func: func; next_func: func; finalize_func: func; "
        "Tinit_func_args: list(type) >= 0; Tnext_func_args: list(type) >= 0; "
        "Tfinalize_func_args: list(type) >= 0; output_types: list(type) >= 1; "
        "output_shapes: list(shape) >= 1" MR_METADATA,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "Elements that one function makes of a state, until it says "
        "OUT_OF_RANGE; another made the state, a third takes it at the end.",
};

}  // namespace millrace::ops
