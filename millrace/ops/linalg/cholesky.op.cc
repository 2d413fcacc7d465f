#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {

MR_OP(Cholesky){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float, half, complex64, complex128}",
    .shape = SquareShape,
    .doc = "The lower triangular L of positive definite matrices L L^H.",
};

MR_OP(CholeskyGrad){
    .inputs = "l: T, grad: T",
    .outputs = "output: T",
    .attrs = "T: {half, float, double}",
    .shape = SquareShape,
    .doc = "The gradient of Cholesky from its output.",
};

MR_OP(BatchCholesky){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float}",
    .shape = SquareShape,
    .doc = "Cholesky under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use Cholesky instead.",
};

MR_OP(BatchCholeskyGrad){
    .inputs = "l: T, grad: T",
    .outputs = "output: T",
    .attrs = "T: {float, double}",
    .shape = SquareShape,
    .doc = "CholeskyGrad under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use CholeskyGrad instead.",
};

}  // namespace millrace::ops
