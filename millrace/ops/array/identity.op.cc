#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(Identity){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .law = Law::kPassesOn,
    .shape = UnchangedWithHandles,
    .ints = int_rules::Same,
    .doc = "Passes `input` on.",
};

MR_OP(IdentityN){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: list(type) >= 1",
    .shape = [](ShapeContext& c) -> Status {
      for (int i = 0; i < c.num_inputs(); ++i) {
        c.set_output(i, c.input(i));
        c.set_output_handles(i, c.input_handles(i));
      }
      return OkStatus();
    },
    .doc =
        "Passes several values on together: all are there before any output "
        "is.",
};

MR_OP(RefIdentity){
    .inputs = "input: Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = "T: type",
    .flags = kAllowsUninitialized,
    .law = Law::kPassesOn,
    .shape = UnchangedWithHandles,
    .doc = "Passes a reference to a variable on.",
};

MR_OP(StopGradient){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .law = Law::kPassesOn,
    .shape = UnchangedWithHandles,
    .ints = int_rules::Same,
    .doc = "Passes `input` on; gradients end here.",
};

MR_OP(PreventGradient){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = R"(T: type; message: string = "")",
    .law = Law::kPassesOn,
    .shape = UnchangedWithHandles,
    .ints = int_rules::Same,
    .doc =
        "Passes `input` on; asking for a gradient through it is an error that "
        "says `message`.",
};

MR_OP(DebugGradientIdentity){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .flags = kAllowsUninitialized,
    .shape = UnchangedWithHandles,
    .doc =
        "Passes `input` on; debuggers mark tensors whose gradient they want "
        "with it.",
};

MR_OP(DebugGradientRefIdentity){
    .inputs = "input: Ref(T)",
    .outputs = "output: Ref(T)",
    .attrs = "T: type",
    .flags = kAllowsUninitialized,
    .law = Law::kPassesOn,
    .shape = UnchangedWithHandles,
    .doc = "DebugGradientIdentity for references to variables.",
};

MR_OP(GuaranteeConst){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = UnchangedWithHandles,
    .doc = "Passes `input` on; says that it is the same in every step.",
};

MR_OP(Snapshot){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = shapes::Unchanged,
    .ints = int_rules::Same,
    .doc =
        "The value that `input` has now; later updates of a variable do not "
        "show in it.",
};

MR_OP(DeepCopy){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: type",
    .flags = kStateful,
    .shape = UnchangedWithHandles,
    .doc = "A copy of `x` with memory of its own.",
};

}  // namespace millrace::ops
