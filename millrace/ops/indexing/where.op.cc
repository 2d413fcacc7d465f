#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(Where){
    .inputs = "input: T",
    .outputs = "index: int64",
    .attrs =
        R"(T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = "bool")",
    .shape = [](ShapeContext& c) -> Status {
      return c.Return(PartialShape({kUnknownDim, c.input(0).rank()}));
    },
    .doc =
        "The coordinates of the elements that are not zero, one row each, in "
        "row-major order.",
};

}  // namespace millrace::ops
