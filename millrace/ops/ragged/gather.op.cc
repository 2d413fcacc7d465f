#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RaggedGather){
    .inputs =
        "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, "
        "params_dense_values: Tvalues, indices: Tindices",
    .outputs =
        "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, "
        "output_dense_values: Tvalues",
    .attrs =
        "Tvalues: type; Tindices: {int32, int64}; Tsplits: {int32, int64} = "
        "int64; PARAMS_RAGGED_RANK: int >= 1; OUTPUT_RAGGED_RANK: int >= 0",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const int64_t levels,
                          c.Attr<int64_t>("PARAMS_RAGGED_RANK"));
      MR_ASSIGN_OR_RETURN(const int64_t out_levels,
                          c.Attr<int64_t>("OUTPUT_RAGGED_RANK"));
      const int values = c.num_inputs() - 2;
      const int64_t rank = out_levels - levels + 1;
      if (rank < 0 || rank > kMaxRank) {
        return InvalidArgument(
            "OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK plus the rank of "
            "indices minus 1, but is ",
            out_levels, " for ", levels);
      }
      for (int i = 0; i < values; ++i) {
        MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
      }
      MR_RETURN_IF_ERROR(
          c.WithRank(values + 1, static_cast<int>(rank)).status());
      MR_ASSIGN_OR_RETURN(const PartialShape params,
                          c.WithRankAtLeast(values, 1));
      for (int i = 0; i + 1 < c.num_outputs(); ++i) {
        c.set_output(i, PartialShape({kUnknownDim}));
      }
      MR_ASSIGN_OR_RETURN(const PartialShape row,
                          ShapeContext::Subshape(params, 1));
      c.set_output(c.num_outputs() - 1,
                   PartialShape({kUnknownDim}).Concatenate(row));
      return OkStatus();
    },
    .doc = "Rows of a ragged tensor, for each of `indices`.",
};

}  // namespace millrace::ops
