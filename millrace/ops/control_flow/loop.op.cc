#include "millrace/graph/int_rules.h"
#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status PassShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  c.set_output_handles(0, c.input_handles(0));
  return OkStatus();
}

Status ConditionShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.Return(PartialShape({}));
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_ENTER_ATTRS                                       \
  "T: type; frame_name: string; is_constant: bool = false; " \
  "parallel_iterations: int = 10"

MR_OP(Enter){
    .inputs = "data: T",
    .outputs = "output: T",
    .attrs = MR_ENTER_ATTRS,
    .role = OpRole::kEnter,
    .shape = PassShape,
    .ints = int_rules::Enter,
    .doc =
        "Takes a value into the loop `frame_name`: into its first iteration, "
        "or into each if it `is_constant`.",
};

MR_OP(RefEnter){
    .inputs = "data: Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = MR_ENTER_ATTRS,
    .role = OpRole::kEnter,
    .shape = PassShape,
    .doc = "Enter for references.",
};

MR_OP(Exit){
    .inputs = "data: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .role = OpRole::kExit,
    .shape = PassShape,
    .doc = "Takes a value out of its loop.",
};

MR_OP(RefExit){
    .inputs = "data: Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = "T: type",
    .role = OpRole::kExit,
    .shape = PassShape,
    .doc = "Exit for references.",
};

MR_OP(NextIteration){
    .inputs = "data: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .role = OpRole::kNextIteration,
    .shape = PassShape,
    .doc = "Takes a value to the next iteration of its loop.",
};

MR_OP(RefNextIteration){
    .inputs = "data: Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = "T: type",
    .role = OpRole::kNextIteration,
    .shape = PassShape,
    .doc = "NextIteration for references.",
};

MR_OP(LoopCond){
    .inputs = "input: bool",
    .outputs = "output: bool",
    .role = OpRole::kLoopCond,
    .shape = ConditionShape,
    .doc = "Marks the condition of a loop.",
};

}  // namespace millrace::ops
