#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(_CopyToHost){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = shapes::Unchanged,
    .doc = "Copies a tensor from the device's memory to that of the host.",
};

MR_OP(_CopyToDevice){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = shapes::Unchanged,
    .doc = "Copies a tensor from host memory to that of the device.",
};

}  // namespace millrace::ops
