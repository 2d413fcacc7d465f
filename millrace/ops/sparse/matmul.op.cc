#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseTensorDenseMatMul){
    .inputs = "a_indices: Tindices, a_values: T, a_shape: int64, b: T",
    .outputs = "product: T",
    .attrs =
        "T: type; Tindices: {int32, int64} = 'int64'; adjoint_a: bool = false; "
        "adjoint_b: bool = false",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
      MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
      MR_ASSIGN_OR_RETURN(PartialShape a, c.SizesFromInput(2));
      MR_ASSIGN_OR_RETURN(a, ShapeContext::WithRank(a, 2));
      MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(3, 2));
      MR_ASSIGN_OR_RETURN(const bool adjoint_a, c.Attr<bool>("adjoint_a"));
      MR_ASSIGN_OR_RETURN(const bool adjoint_b, c.Attr<bool>("adjoint_b"));
      MR_RETURN_IF_ERROR(ShapeContext::MergeDims(a.dim(adjoint_a ? 0 : 1),
                                                 b.dim(adjoint_b ? 1 : 0))
                             .status());
      return c.Return(
          PartialShape({a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)}));
    },
    .doc =
        "A sparse matrix times a dense one; of each the conjugate transpose if "
        "the attribute says so. Entries may come in any order and repeat.",
};

}  // namespace millrace::ops
