#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

Status SvdShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadMatrices(c, 0));
  MR_ASSIGN_OR_RETURN(const bool full, c.Attr<bool>("full_matrices"));
  MR_ASSIGN_OR_RETURN(const bool vectors, c.Attr<bool>("compute_uv"));
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

}  // namespace

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

}  // namespace millrace::ops
