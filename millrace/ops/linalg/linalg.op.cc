// Schemas and shape functions of linear algebra.
#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The last two dimensions of a batch of matrices.
struct Matrices {
  PartialShape shape;  // of a known rank where the next are of use
  PartialShape batch;
  int64_t rows = kUnknownDim, cols = kUnknownDim;
};

StatusOr<Matrices> ReadMatrices(ShapeContext& c, int input) {
  Matrices m;
  MR_ASSIGN(m.shape, c.WithRankAtLeast(input, 2));
  MR_ASSIGN(m.batch, ShapeContext::Subshape(m.shape, 0, -2));
  m.rows = ShapeContext::Dim(m.shape, -2);
  m.cols = ShapeContext::Dim(m.shape, -1);
  return m;
}

StatusOr<Matrices> ReadSquare(ShapeContext& c, int input) {
  MR_ASSIGN(Matrices m, ReadMatrices(c, input));
  MR_ASSIGN(m.rows, ShapeContext::MergeDims(m.rows, m.cols));
  m.cols = m.rows;
  if (m.shape.known_rank()) {
    m.shape = m.batch.Concatenate(PartialShape({m.rows, m.cols}));
  }
  return m;
}

PartialShape WithLast(const Matrices& m, std::initializer_list<int64_t> dims) {
  return m.batch.Concatenate(PartialShape(dims));
}
int64_t Least(const Matrices& m) {
  return m.rows == 0 || m.cols == 0 ? 0
         : m.rows == kUnknownDim || m.cols == kUnknownDim
             ? kUnknownDim
             : std::min(m.rows, m.cols);
}

Status SquareShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  return c.Return(m.shape);
}

Status DeterminantShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, m.batch);
  return OkStatus();
}

// matrix x = rhs; kBroadcast: batches are broadcast.
template <bool kBroadcast>
Status SolveShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN(const Matrices rhs, ReadMatrices(c, 1));
  MR_ASSIGN(const int64_t rows, ShapeContext::MergeDims(m.rows, rhs.rows));
  PartialShape batch;
  if constexpr (kBroadcast) {
    MR_ASSIGN(batch, shapes::BroadcastShapes(m.batch, rhs.batch));
  } else {
    MR_ASSIGN(batch, ShapeContext::MergeShapes(m.batch, rhs.batch));
  }
  return c.Return(batch.Concatenate(PartialShape({rows, rhs.cols})));
}

Status QrShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadMatrices(c, 0));
  MR_ASSIGN(const bool full, c.Attr<bool>("full_matrices"));
  const int64_t p = Least(m);
  c.set_output(0, WithLast(m, {m.rows, full ? m.rows : p}));
  c.set_output(1, WithLast(m, {full ? m.rows : p, m.cols}));
  return OkStatus();
}

Status SvdShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadMatrices(c, 0));
  MR_ASSIGN(const bool full, c.Attr<bool>("full_matrices"));
  MR_ASSIGN(const bool vectors, c.Attr<bool>("compute_uv"));
  const int64_t p = Least(m);
  c.set_output(0, WithLast(m, {p}));
  if (vectors) {
    c.set_output(1, WithLast(m, {m.rows, full ? m.rows : p}));
    c.set_output(2, WithLast(m, {m.cols, full ? m.cols : p}));
  } else {
    c.set_output(1, PartialShape({0}));
    c.set_output(2, PartialShape({0}));
  }
  return OkStatus();
}

Status EigShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN(const bool vectors, c.Attr<bool>("compute_v"));
  c.set_output(0, WithLast(m, {m.rows}));
  c.set_output(1, vectors ? WithLast(m, {m.rows, m.rows}) : PartialShape({0}));
  return OkStatus();
}

// Eigenvalues in row 0, eigenvectors below.
Status EigV1Shape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN(const int64_t rows, ShapeContext::AddDims(m.rows, 1));
  return c.Return(WithLast(m, {rows, m.rows}));
}

Status LuShape(ShapeContext& c) {
  MR_ASSIGN(const Matrices m, ReadSquare(c, 0));
  c.set_output(0, m.shape);
  c.set_output(1, WithLast(m, {m.rows}));
  return OkStatus();
}

}  // namespace

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
MR_OP(MatrixInverse){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "adjoint: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = SquareShape,
    .doc = "The inverses of matrices, or of their adjoints.",
};
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
MR_OP(MatrixSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs =
        "adjoint: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = SolveShape<false>,
    .doc = "Solves matrix x = rhs, or with the adjoint of the matrix.",
};
MR_OP(MatrixTriangularSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs =
        "lower: bool = true; adjoint: bool = false; T: {bfloat16, double, "
        "float, half, complex64, complex128}",
    .shape = SolveShape<true>,
    .doc =
        "Solves matrix x = rhs for triangular matrices; batches are broadcast.",
};
MR_OP(Qr){
    .inputs = "input: T",
    .outputs = "q: T, r: T",
    .attrs =
        "full_matrices: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = QrShape,
    .doc = "Matrices as products of a unitary and an upper triangular one.",
};
MR_OP(Lu){
    .inputs = "input: T",
    .outputs = "lu: T, p: output_idx_type",
    .attrs =
        "T: {double, float, half, complex64, complex128}; output_idx_type: "
        "{int32, int64} = 'int32'",
    .shape = LuShape,
    .doc = "The factors of matrices with rows exchanged, and the exchange.",
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
MR_OP(BatchMatrixSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs = "adjoint: bool = false; T: {double, float}",
    .shape = SolveShape<false>,
    .doc = "MatrixSolve under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixSolve instead.",
};
MR_OP(BatchMatrixTriangularSolve){
    .inputs = "matrix: T, rhs: T",
    .outputs = "output: T",
    .attrs = "lower: bool = true; adjoint: bool = false; T: {double, float}",
    .shape = SolveShape<false>,
    .doc = "MatrixTriangularSolve under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixTriangularSolve instead.",
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
MR_OP(BatchMatrixDeterminant){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {float, double, complex64, complex128}",
    .shape = DeterminantShape,
    .doc = "MatrixDeterminant under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixDeterminant instead.",
};

MR_OP(Svd){
    .inputs = "input: T",
    .outputs = "s: T, u: T, v: T",
    .attrs =
        "compute_uv: bool = true; full_matrices: bool = false; T: {double, "
        "float, half, complex64, complex128}",
    .shape = SvdShape,
    .doc =
        "The singular values of matrices, in falling order, and their "
        "vectors.",
};
MR_OP(SelfAdjointEigV2){
    .inputs = "input: T",
    .outputs = "e: T, v: T",
    .attrs =
        "compute_v: bool = true; T: {double, float, half, complex64, "
        "complex128}",
    .shape = EigShape,
    .doc =
        "The eigenvalues of self-adjoint matrices, in rising order, and their "
        "vectors.",
};
MR_OP(SelfAdjointEig){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float, half}",
    .shape = EigV1Shape,
    .doc = "SelfAdjointEigV2 with both results in one.",
    .deprecated_version = 11,
    .deprecated_hint = "Use SelfAdjointEigV2 instead.",
};
MR_OP(BatchSvd){
    .inputs = "input: T",
    .outputs = "s: T, u: T, v: T",
    .attrs =
        "compute_uv: bool = true; full_matrices: bool = false; T: {double, "
        "float, complex64, complex128}",
    .shape = SvdShape,
    .doc = "Svd under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use Svd instead.",
};
MR_OP(BatchSelfAdjointEig){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {double, float}",
    .shape = EigV1Shape,
    .doc = "SelfAdjointEigV2 with both results in one, under its old name.",
    .deprecated_version = 11,
    .deprecated_hint = "Use SelfAdjointEigV2 instead.",
};
MR_OP(BatchSelfAdjointEigV2){
    .inputs = "input: T",
    .outputs = "e: T, v: T",
    .attrs = "compute_v: bool = true; T: {double, float}",
    .shape = EigShape,
    .doc = "SelfAdjointEigV2 under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use SelfAdjointEigV2 instead.",
};

}  // namespace millrace::ops
