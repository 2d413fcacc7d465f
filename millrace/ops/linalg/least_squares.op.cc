#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {

MR_OP(MatrixSolveLs){
    .inputs = "matrix: T, rhs: T, l2_regularizer: double",
    .outputs = "output: T",
    .attrs =
        "T: {double, float, half, complex64, complex128}; fast: bool = true",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
      MR_ASSIGN_OR_RETURN(const Matrices a, ReadMatrices(c, 0));
      MR_ASSIGN_OR_RETURN(const Matrices b, ReadMatrices(c, 1));
      MR_RETURN_IF_ERROR(ShapeContext::MergeDims(a.rows, b.rows).status());
      MR_ASSIGN_OR_RETURN(const PartialShape batch,
                          ShapeContext::MergeShapes(a.batch, b.batch));
      return c.Return(batch.Concatenate(PartialShape({a.cols, b.cols})));
    },
    .doc =
        "The x for which matrix x is closest to rhs, by normal equations or, "
        "slower, by factors that also solve matrices without full rank.",
};

MR_OP(BatchMatrixSolveLs){
    .inputs = "matrix: T, rhs: T, l2_regularizer: double",
    .outputs = "output: T",
    .attrs = "T: {double, float}; fast: bool = true",
    .shape = shapes::Unknown,
    .doc = "MatrixSolveLs under its old name.",
    .deprecated_version = 13,
    .deprecated_hint = "Use MatrixSolveLs instead.",
};

}  // namespace millrace::ops
