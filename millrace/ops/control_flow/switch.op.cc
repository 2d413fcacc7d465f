#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status SwitchShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    c.set_output_handles(i, c.input_handles(0));
  }
  return OkStatus();
}

}  // namespace

MR_OP(Switch){
    .inputs = "data: T, pred: bool",
    .outputs = "output_false: T, output_true: T",
    .attrs = "T: type",
    .role = OpRole::kSwitch,
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
    .role = OpRole::kSwitch,
    .shape = SwitchShape,
    .doc = "Switch for references.",
};

MR_OP(_SwitchN){
    .inputs = "data: T, output_index: int32",
    .outputs = "outputs: num_outs * T",
    .attrs = "num_outs: int >= 1; T: type",
    .role = OpRole::kSwitch,
    .shape = SwitchShape,
    .doc =
        "Passes `data` to one of many outputs; an index out of range means "
        "the last one.",
};

}  // namespace millrace::ops
