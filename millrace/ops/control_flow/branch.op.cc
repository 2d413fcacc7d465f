#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status SwitchShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    c.set_output_handles(i, c.input_handles(0));
  }
  return OkStatus();
}

Status MergeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(shapes::Join(c));
  c.set_output(1, PartialShape({}));
  return OkStatus();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_OP(NoOp){
    .shape = shapes::NoOutputs,
    .doc = "Does nothing; a place for control dependencies.",
};

MR_OP(ControlTrigger){
    .shape = shapes::NoOutputs,
    .doc = "Does nothing, and is alive even if its inputs are dead.",
};

MR_OP(Abort){
    .attrs = "error_msg: string = ''; exit_without_error: bool = false",
    .shape = shapes::NoOutputs,
    .doc =
        "Fails its step with ABORTED. Unlike TensorFlow's it never ends the "
        "server.",
};

MR_OP(Switch){
    .inputs = "data: T, pred: bool",
    .outputs = "output_false: T, output_true: T",
    .attrs = "T: type",
    .shape = SwitchShape,
    .doc =
        "Passes `data` to the output that `pred` chooses; the other one is "
        "dead.",
};

MR_OP(RefSwitch){
    .inputs = "data: Ref(T), pred: bool",
    .outputs = "output_false: Ref(T), output_true: Ref(T)",
    .attrs = "T: type",
    .flags = kAllowsUninitialized,
    .shape = SwitchShape,
    .doc = "Switch for references.",
};

MR_OP(_SwitchN){
    .inputs = "data: T, output_index: int32",
    .outputs = "outputs: num_outs * T",
    .attrs = "num_outs: int >= 1; T: type",
    .shape = SwitchShape,
    .doc =
        "Passes `data` to one of many outputs; an index out of range means "
        "the last one.",
};

MR_OP(Merge){
    .inputs = "inputs: N * T",
    .outputs = "output: T, value_index: int32",
    .attrs = "T: type; N: int >= 1",
    .shape = MergeShape,
    .doc = "Passes on the first of its inputs that is alive, and its number.",
};

MR_OP(RefMerge){
    .inputs = "inputs: N * Ref(T)",
    .outputs = "output: Ref(T), value_index: int32",
    .attrs = "T: type; N: int >= 1",
    .shape = MergeShape,
    .doc = "Merge for references.",
};

}  // namespace millrace::ops
