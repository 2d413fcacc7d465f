#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Assert){
    .inputs = "condition: bool, data: T",
    .attrs = "T: list(type) >= 1; summarize: int = 3",
    .flags = kStateful | kChecks,
    .shape = shapes::NoOutputs,
    .doc =
        "Fails the step with the first elements of `data` if the condition "
        "is false.",
};

}  // namespace millrace::ops
