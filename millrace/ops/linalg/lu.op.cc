#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

Status LuShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  c.set_output(0, m.shape);
  c.set_output(1, WithLast(m, {m.rows}));
  return OkStatus();
}

}  // namespace

MR_OP(Lu){
    .inputs = "input: T",
    .outputs = "lu: T, p: output_idx_type",
    .attrs =
        "T: {double, float, half, complex64, complex128}; output_idx_type: "
        "{int32, int64} = 'int32'",
    .shape = LuShape,
    .doc = "The factors of matrices with rows exchanged, and the exchange.",
};

}  // namespace millrace::ops
