#include "millrace/ops/control_flow/output_shapes.op.h"

namespace millrace::ops {

#define MR_IF_ATTRS                                            \
  "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; " \
  "then_branch: func; else_branch: func; output_shapes: list(shape) = []"

MR_OP(StatelessIf){
    .inputs = "cond: Tcond, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_IF_ATTRS,
    .flags = kBranches,
    .shape = OutputShapes,
    .doc =
        "Calls one of two functions. A condition that is no bool counts as "
        "true if it is not zero, not empty.",
};

MR_OP(If){
    .inputs = "cond: Tcond, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_IF_ATTRS,
    .flags = kStateful | kBranches,
    .shape = OutputShapes,
    .doc = "StatelessIf for functions that have state or effects.",
};

}  // namespace millrace::ops
