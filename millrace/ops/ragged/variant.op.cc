#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RaggedTensorToVariant){
    .inputs =
        "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues",
    .outputs = "encoded_ragged: variant",
    .attrs =
        "RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: {int32, int64} = "
        "int64; batched_input: bool",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const bool batched, c.Attr<bool>("batched_input"));
      const int levels = c.num_inputs() - 1;
      for (int i = 0; i < levels; ++i) {
        MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
      }
      if (batched || levels > 0) {
        MR_RETURN_IF_ERROR(c.WithRankAtLeast(levels, 1).status());
      }
      if (!batched) return c.Return(PartialShape({}));
      // As in stock, one less even without splits, when the kernel gives a
      // variant for each of the values' rows.
      MR_ASSIGN_OR_RETURN(
          const int64_t rows,
          ShapeContext::SubtractDims(ShapeContext::Dim(c.input(0), 0), 1));
      return c.Return(PartialShape({rows}));
    },
    .doc =
        "A ragged tensor as a variant or, if it is batched, a variant for each "
        "of its rows.",
};

MR_OP(RaggedTensorFromVariant){
    .inputs = "encoded_ragged: variant",
    .outputs =
        "output_nested_splits: output_ragged_rank * Tsplits, "
        "output_dense_values: Tvalues",
    .attrs =
        "input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues: "
        "type; Tsplits: {int32, int64} = int64",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const int64_t in,
                          c.Attr<int64_t>("input_ragged_rank"));
      MR_ASSIGN_OR_RETURN(const int64_t out,
                          c.Attr<int64_t>("output_ragged_rank"));
      if (in >= 0 && out - in >= 0 && out - in <= kMaxRank) {
        MR_RETURN_IF_ERROR(c.WithRank(0, static_cast<int>(out - in)).status());
      }
      for (int i = 0; i + 1 < c.num_outputs(); ++i) {
        c.set_output(i, PartialShape({kUnknownDim}));
      }
      return OkStatus();
    },
    .doc =
        "The ragged tensor in a variant, or those of a tensor of variants as "
        "rows of one.",
};

}  // namespace millrace::ops
