#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

enum class Batches { kEqual, kBroadcast };

// Sets output 0 to the shape of x in matrix x = rhs.
template <Batches kBatches>
Status SolveShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN_OR_RETURN(const Matrices rhs, ReadMatrices(c, 1));
  MR_ASSIGN_OR_RETURN(const int64_t rows,
                      ShapeContext::MergeDims(m.rows, rhs.rows));
  PartialShape batch;
  if constexpr (kBatches == Batches::kBroadcast) {
    MR_ASSIGN_OR_RETURN(batch, shapes::BroadcastShapes(m.batch, rhs.batch));
  } else {
    MR_ASSIGN_OR_RETURN(batch, ShapeContext::MergeShapes(m.batch, rhs.batch));
  }
  return c.Return(batch.Concatenate(PartialShape({rows, rhs.cols})));
}

}  // namespace

MR_OP(MatrixSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs =
        "adjoint: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = SolveShape<Batches::kEqual>,
    .doc = "Solves matrix x = rhs, or with the adjoint of the matrix.",
};

MR_OP(MatrixTriangularSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs =
        "lower: bool = true; adjoint: bool = false; T: {bfloat16, double, "
        "float, half, complex64, complex128}",
    .shape = SolveShape<Batches::kBroadcast>,
    .doc =
        "Solves matrix x = rhs for triangular matrices; batches are broadcast.",
};

MR_OP(BatchMatrixSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs = "adjoint: bool = false; T: {double, float}",
    .shape = SolveShape<Batches::kEqual>,
    .doc = "MatrixSolve under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixSolve instead.",
};

MR_OP(BatchMatrixTriangularSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs = "lower: bool = true; adjoint: bool = false; T: {double, float}",
    .shape = SolveShape<Batches::kEqual>,
    .doc = "MatrixTriangularSolve under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixTriangularSolve instead.",
};

}  // namespace millrace::ops
