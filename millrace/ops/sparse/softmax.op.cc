#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseSoftmax){
    .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64",
    .outputs = "output: T",
    .attrs = "T: {half, float, double}",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
      MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(1, 1));
      MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
      return c.Return(values);
    },
    .doc =
        "exp(x) / sum(exp(x)) over the entries of each row of the last "
        "dimension; values come out in row-major order.",
};

}  // namespace millrace::ops
