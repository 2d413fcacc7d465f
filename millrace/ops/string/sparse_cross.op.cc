#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseCross){
    .inputs =
        "indices: N * int64, values: sparse_types, shapes: N * int64, "
        "dense_inputs: dense_types",
    .outputs =
        "output_indices: int64, output_values: out_type, output_shape: int64",
    .attrs =
        "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: "
        "int; sparse_types: list({int64, string}) >= 0; dense_types: "
        "list({int64, string}) >= 0; out_type: {int64, string}; "
        "internal_type: {int64, string}",
    .shape = [](ShapeContext& c) -> Status {
      c.set_output(0, PartialShape({kUnknownDim, 2}));
      c.set_output(1, PartialShape({kUnknownDim}));
      c.set_output(2, PartialShape({2}));
      return OkStatus();
    },
    .doc =
        "The combinations of one feature of each input, for each row: texts "
        "joined by _X_, or their hash.",
};

}  // namespace millrace::ops
