#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/linalg/matrices.op.h"

namespace millrace::ops {

MR_OP(TridiagonalMatMul){
    .inputs = "superdiag: T, maindiag: T, subdiag: T, rhs: T",
    .outputs = "output: T",
    .attrs = "T: {double, float, complex64, complex128}",
    .shape = [](ShapeContext& c) -> Status {
      PartialShape diagonal;
      for (int i = 0; i < 3; ++i) {
        MR_ASSIGN_OR_RETURN(const PartialShape s, c.WithRankAtLeast(i, 2));
        MR_ASSIGN_OR_RETURN(diagonal,
                            i == 0 ? StatusOr<PartialShape>(s)
                                   : ShapeContext::MergeShapes(diagonal, s));
      }
      MR_ASSIGN_OR_RETURN(const Matrices rhs, ReadMatrices(c, 3));
      MR_ASSIGN_OR_RETURN(const PartialShape batch,
                          ShapeContext::Subshape(diagonal, 0, -2));
      MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(batch, rhs.batch).status());
      MR_RETURN_IF_ERROR(
          ShapeContext::WithValue(ShapeContext::Dim(diagonal, -2), 1).status());
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeDims(ShapeContext::Dim(diagonal, -1), rhs.rows)
              .status());
      return c.Return(rhs.shape);
    },
    .doc =
        "The product of matrices whose elements lie on three diagonals, which "
        "are rows of one length: the last element of the upper one and the "
        "first of the lower one are not read.",
};

MR_OP(TridiagonalSolve){
    .inputs = "diagonals: T, rhs: T",
    .outputs = "output: T",
    .attrs =
        "partial_pivoting: bool = true; perturb_singular: bool = false; T: "
        "{double, float, complex64, complex128}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const Matrices diagonals, ReadMatrices(c, 0));
      MR_ASSIGN_OR_RETURN(const Matrices rhs, ReadMatrices(c, 1));
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeShapes(diagonals.batch, rhs.batch).status());
      MR_RETURN_IF_ERROR(ShapeContext::WithValue(diagonals.rows, 3).status());
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeDims(diagonals.cols, rhs.rows).status());
      return c.Return(rhs.shape);
    },
    .doc =
        "The solution of equations whose matrix has three diagonals: the upper "
        "one, the main one and the lower one, as rows of one length. NaN for "
        "singular matrices, unless they are perturbed.",
};

}  // namespace millrace::ops
