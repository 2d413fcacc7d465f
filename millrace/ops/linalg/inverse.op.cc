#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {

MR_OP(MatrixInverse){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "adjoint: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = SquareShape,
    .doc = "The inverses of matrices, or of their adjoints.",
};

MR_OP(BatchMatrixInverse){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "adjoint: bool = false; T: {double, float}",
    .shape = SquareShape,
    .doc = "MatrixInverse under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixInverse instead.",
};

}  // namespace millrace::ops
