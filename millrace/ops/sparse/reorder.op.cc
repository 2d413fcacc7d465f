#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseReorder){
    .inputs = "input_indices: int64, input_values: T, input_shape: int64",
    .outputs = "output_indices: int64, output_values: T",
    .attrs = "T: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
      MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(1, 1));
      MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
      c.set_output(0, indices);
      c.set_output(1, values);
      return OkStatus();
    },
    .doc = "The entries in row-major order; equal ones keep theirs.",
};

}  // namespace millrace::ops
