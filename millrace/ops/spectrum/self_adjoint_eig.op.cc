#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

Status EigShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN_OR_RETURN(const bool vectors, c.Attr<bool>("compute_v"));
  c.set_output(0, WithLast(m, {m.rows}));
  c.set_output(1, vectors ? WithLast(m, {m.rows, m.rows}) : PartialShape({0}));
  return OkStatus();
}

// Eigenvalues are in row 0, eigenvectors below.
Status EigV1Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  MR_ASSIGN_OR_RETURN(const int64_t rows, ShapeContext::AddDims(m.rows, 1));
  return c.Return(WithLast(m, {rows, m.rows}));
}

}  // namespace

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
