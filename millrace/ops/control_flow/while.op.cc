#include "millrace/ops/control_flow/output_shapes.op.h"

namespace millrace::ops {

#define MR_WHILE_ATTRS                                          \
  "T: list(type) >= 0; cond: func; body: func; output_shapes: " \
  "list(shape) = []; parallel_iterations: int = 10"

MR_OP(StatelessWhile){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_WHILE_ATTRS,
    .flags = kLoops,
    .shape = OutputShapes,
    .doc = "Calls `body` on its own results as long as `cond` of them is true.",
};

MR_OP(While){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_WHILE_ATTRS,
    .flags = kStateful | kLoops,
    .shape = OutputShapes,
    .doc = "StatelessWhile for functions that have state or effects.",
};

}  // namespace millrace::ops
