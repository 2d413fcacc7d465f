#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseToDense){
    .inputs =
        "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, "
        "default_value: T",
    .outputs = "dense: T",
    .attrs = "validate_indices: bool = true; T: type; Tindices: {int32, int64}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
      return c.Return(std::move(shape));
    },
    .doc =
        "A dense tensor with the values at their coordinates and "
        "`default_value` elsewhere. With validate_indices, coordinates must "
        "come in row-major order and none twice; without, the last one wins.",
};

}  // namespace millrace::ops
