#include "millrace/ops/control_flow/output_shapes.op.h"

namespace millrace::ops {

#define MR_CASE_ATTRS                                                        \
  "Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; " \
  "output_shapes: list(shape) = []"

MR_OP(StatelessCase){
    .inputs = "branch_index: int32, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CASE_ATTRS,
    .flags = kBranches,
    .shape = OutputShapes,
    .doc =
        "Calls the function of `branches` with this number, the last one for "
        "numbers that none has.",
};

MR_OP(Case){
    .inputs = "branch_index: int32, input: Tin",
    .outputs = "output: Tout",
    .attrs = MR_CASE_ATTRS,
    .flags = kStateful | kBranches,
    .shape = OutputShapes,
    .doc = "StatelessCase for functions that have state or effects.",
};

}  // namespace millrace::ops
