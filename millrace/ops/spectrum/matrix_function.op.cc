#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {

MR_OP(MatrixExponential){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float, half, complex64, complex128}",
    .shape = SquareShape,
    .doc = "The sum of A^k / k! over all k >= 0.",
    .deprecated_version = 27,
    .deprecated_hint =
        "Use Python implementation tf.linalg.matrix_exponential instead.",
};

MR_OP(MatrixLogarithm){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {complex64, complex128}",
    .shape = SquareShape,
    .doc =
        "The matrices whose exponential is the input and whose eigenvalues "
        "have imaginary parts in (-pi, pi]; NaN for singular matrices.",
};

MR_OP(MatrixSquareRoot){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float, half, complex64, complex128}",
    .shape = SquareShape,
    .doc =
        "The matrices whose square is the input and whose eigenvalues have no "
        "negative real part; NaN for real matrices with negative eigenvalues.",
};

}  // namespace millrace::ops
