#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/layout/pad.op.h"

namespace millrace::ops {

MR_OP(MirrorPad){
    .inputs = "input: T, paddings: Tpaddings",
    .outputs = "output: T",
    .attrs =
        R"(T: type; Tpaddings: {int32, int64} = "int32"; mode: {'REFLECT', 'SYMMETRIC'})",
    .shape = [](ShapeContext& c) -> Status {
      return PaddedShape(c, Paddings::kAdded);
    },
    .doc =
        "Pad with mirrored elements: the edge itself is repeated (SYMMETRIC) "
        "or not (REFLECT).",
};

MR_OP(MirrorPadGrad){
    .inputs = "input: T, paddings: Tpaddings",
    .outputs = "output: T",
    .attrs =
        R"(T: type; Tpaddings: {int32, int64} = "int32"; mode: {'REFLECT', 'SYMMETRIC'})",
    .shape = [](ShapeContext& c) -> Status {
      return PaddedShape(c, Paddings::kTakenOff);
    },
    .doc =
        "Folds the padding of MirrorPad back: its elements are added to those "
        "that they mirror.",
};

}  // namespace millrace::ops
