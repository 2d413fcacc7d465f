#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RaggedRange){
    .inputs = "starts: T, limits: T, deltas: T",
    .outputs = "rt_nested_splits: Tsplits, rt_dense_values: T",
    .attrs =
        "T: {bfloat16, float, double, int32, int64} = int32; Tsplits: {int32, "
        "int64} = int64",
    .shape = [](ShapeContext& c) -> Status {
      int64_t rows = kUnknownDim;
      bool scalars = true;
      for (int i = 0; i < 3; ++i) {
        MR_ASSIGN_OR_RETURN(const PartialShape s, c.WithRankAtMost(i, 1));
        scalars = scalars && s.rank() == 0;
        if (s.rank() != 1) continue;
        MR_ASSIGN_OR_RETURN(rows, ShapeContext::MergeDims(s.dim(0), rows));
      }
      if (scalars) rows = 1;
      MR_ASSIGN_OR_RETURN(const int64_t splits, ShapeContext::AddDims(rows, 1));
      c.set_output(0, PartialShape({splits}));
      c.set_output(1, PartialShape({kUnknownDim}));
      return OkStatus();
    },
    .doc = "A ragged tensor of ranges, one for each row.",
};

}  // namespace millrace::ops
