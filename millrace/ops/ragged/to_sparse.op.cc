#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RaggedTensorToSparse){
    .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T",
    .outputs =
        "sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    .attrs = "RAGGED_RANK: int >= 1; T: type; Tsplits: {int32, int64} = int64",
    .shape = [](ShapeContext& c) -> Status {
      const int levels = c.num_inputs() - 1;
      for (int i = 0; i < levels; ++i) {
        MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
      }
      MR_ASSIGN_OR_RETURN(const PartialShape values,
                          c.WithRankAtLeast(levels, 1));
      const int64_t count = values.num_elements();
      const int64_t rank =
          values.known_rank() ? values.rank() + levels : kUnknownDim;
      c.set_output(0, PartialShape({count, rank}));
      c.set_output(1, PartialShape({count}));
      c.set_output(2, PartialShape({rank}));
      return OkStatus();
    },
    .doc = "A ragged tensor as a sparse one.",
};

}  // namespace millrace::ops
