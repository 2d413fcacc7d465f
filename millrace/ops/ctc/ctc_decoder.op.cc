#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns the size of the batch.
StatusOr<int64_t> DecodedBatch(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape inputs, c.WithRank(0, 3));
  MR_ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(1, 1));
  return ShapeContext::MergeDims(inputs.dim(1), lengths.dim(0));
}

// Sets the shapes of `paths` sparse tensors and of their logarithms.
Status SetDecodedShapes(ShapeContext& c, int paths) {
  MR_ASSIGN_OR_RETURN(const int64_t batch, DecodedBatch(c));
  for (int p = 0; p < paths; ++p) {
    c.set_output(p, PartialShape({kUnknownDim, 2}));
    c.set_output(paths + p, PartialShape({kUnknownDim}));
    c.set_output(2 * paths + p, PartialShape({2}));
  }
  c.set_output(3 * paths, PartialShape({batch, paths}));
  return OkStatus();
}

}  // namespace

MR_OP(CTCGreedyDecoder){
    .inputs = "inputs: T, sequence_length: int32",
    .outputs =
        "decoded_indices: int64, decoded_values: int64, decoded_shape: int64, "
        "log_probability: T",
    .attrs =
        "merge_repeated: bool = false; blank_index: int = -1; T: {float, "
        "double} = 'float'",
    .shape = [](ShapeContext& c) -> Status { return SetDecodedShapes(c, 1); },
    .doc =
        "The class with the largest logit of each step, without blanks, as a "
        "sparse tensor [batch, steps], and the negative sum of these logits.",
};
MR_OP(CTCBeamSearchDecoder){
    .inputs = "inputs: T, sequence_length: int32",
    .outputs =
        "decoded_indices: top_paths * int64, decoded_values: top_paths * "
        "int64, decoded_shape: top_paths * int64, log_probability: T",
    .attrs =
        "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = "
        "true; T: {float, double} = 'float'",
    .shape = [](ShapeContext& c) -> Status {
      return SetDecodedShapes(c, (c.num_outputs() - 1) / 3);
    },
    .doc =
        "The most probable sequences of labels that a beam search finds, as "
        "sparse tensors [batch, steps], and the logarithms of their "
        "probabilities. The last class is the blank.",
};

}  // namespace millrace::ops
