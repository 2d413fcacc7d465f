#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(NoOp){
    .role = OpRole::kNoOp,
    .shape = shapes::NoOutputs,
    .doc = "Does nothing; a place for control dependencies.",
};

MR_OP(ControlTrigger){
    .role = OpRole::kControlTrigger,
    .shape = shapes::NoOutputs,
    .doc = "Does nothing, and is alive even if its inputs are dead.",
};

}  // namespace millrace::ops
