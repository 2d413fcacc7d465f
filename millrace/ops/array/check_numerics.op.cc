#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(CheckNumerics){
    .inputs = "tensor: T",
    .outputs = "output: T",
    .attrs = "T: {bfloat16, half, float, double}; message: string",
    .flags = kStateful | kChecks,
    .shape = shapes::Unchanged,
    .doc =
        "Passes `tensor` on, or fails with `message` if an element is NaN or "
        "infinite.",
};

MR_OP(CheckNumericsV2){
    .inputs = "tensor: T",
    .outputs = "output: T",
    .attrs = "T: {bfloat16, half, float, double}; message: string",
    .flags = kStateful | kChecks,
    .shape = shapes::Unchanged,
    .doc = "CheckNumerics whose error tells -Inf from +Inf.",
};

}  // namespace millrace::ops
