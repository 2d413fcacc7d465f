#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

Status DeterminantShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, m.batch);
  return OkStatus();
}

}  // namespace

MR_OP(MatrixDeterminant){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {half, float, double, complex64, complex128}",
    .shape = DeterminantShape,
    .doc = "The determinants of matrices.",
};

MR_OP(LogMatrixDeterminant){
    .inputs = "input: T",
    .outputs = "sign: T, log_abs_determinant: T",
    .attrs = "T: {half, float, double, complex64, complex128}",
    .shape = DeterminantShape,
    .doc = "Sign and logarithm of the absolute value of determinants.",
};

MR_OP(BatchMatrixDeterminant){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {float, double, complex64, complex128}",
    .shape = DeterminantShape,
    .doc = "MatrixDeterminant under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixDeterminant instead.",
};

}  // namespace millrace::ops
