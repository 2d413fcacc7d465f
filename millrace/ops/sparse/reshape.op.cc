#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseReshape){
    .inputs = "input_indices: int64, input_shape: int64, new_shape: int64",
    .outputs = "output_indices: int64, output_shape: int64",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
      MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
      MR_ASSIGN_OR_RETURN(const PartialShape new_shape, c.WithRank(2, 1));
      c.set_output(0, PartialShape({indices.dim(0), new_shape.dim(0)}));
      c.set_output(1, new_shape);
      return OkStatus();
    },
    .doc =
        "Coordinates under another shape of as many elements; one size may be "
        "-1. Values stay as they are.",
};

}  // namespace millrace::ops
