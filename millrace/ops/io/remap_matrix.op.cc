#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(LoadAndRemapMatrix){
    .inputs =
        "ckpt_path: string, old_tensor_name: string, row_remapping: int64, "
        "col_remapping: int64, initializing_values: float",
    .outputs = "output_matrix: float",
    .attrs =
        "num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int = -1",
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const int64_t rows, c.Attr<int64_t>("num_rows"));
      MR_ASSIGN_OR_RETURN(const int64_t columns, c.Attr<int64_t>("num_cols"));
      return c.Return(PartialShape({rows, columns}));
    },
    .doc =
        "A matrix whose rows and columns are those of a matrix in a checkpoint "
        "that the remappings name. A negative number stands for what is new: "
        "its elements come from `initializing_values`, row by row. Without "
        "`col_remapping` the columns are those of the checkpoint. At most "
        "`max_rows_in_memory` rows of the checkpoint are read at a time.",
};

}  // namespace millrace::ops
