#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {
namespace {

Status QrShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadMatrices(c, 0));
  MR_ASSIGN_OR_RETURN(const bool full, c.Attr<bool>("full_matrices"));
  const int64_t p = Least(m);
  c.set_output(0, WithLast(m, {m.rows, full ? m.rows : p}));
  c.set_output(1, WithLast(m, {full ? m.rows : p, m.cols}));
  return OkStatus();
}

}  // namespace

MR_OP(Qr){
    .inputs = "input: T",
    .outputs = "q: T, r: T",
    .attrs =
        "full_matrices: bool = false; T: {double, float, half, complex64, "
        "complex128}",
    .shape = QrShape,
    .doc = "Matrices as products of a unitary and an upper triangular one.",
};

}  // namespace millrace::ops
