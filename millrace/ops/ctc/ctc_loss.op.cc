#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status CtcLossShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape inputs, c.WithRank(0, 3));
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(2, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(3, 1));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(indices.dim(0), values.dim(0)).status());
  MR_ASSIGN_OR_RETURN(const int64_t batch,
                      ShapeContext::MergeDims(inputs.dim(1), lengths.dim(0)));
  inputs.set_dim(1, batch);
  c.set_output(0, PartialShape({batch}));
  c.set_output(1, std::move(inputs));
  return OkStatus();
}

}  // namespace

#define MR_CTC_LOSS_FLAGS                                            \
  "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: " \
  "bool = true; ignore_longer_outputs_than_inputs: bool = false"

MR_OP(CTCLoss){
    .inputs =
        "inputs: T, labels_indices: int64, labels_values: int32, "
        "sequence_length: int32",
    .outputs = "loss: T, gradient: T",
    .attrs = MR_CTC_LOSS_FLAGS "; T: {float, double} = 'float'",
    .shape = CtcLossShape,
    .doc =
        "The negative logarithm of the probability of each sequence of labels, "
        "and its gradient with respect to the logits. The last class is the "
        "blank.",
};
MR_OP(CTCLossV2){
    .inputs =
        "inputs: float, labels_indices: int64, labels_values: int32, "
        "sequence_length: int32",
    .outputs = "loss: float, gradient: float",
    .attrs = MR_CTC_LOSS_FLAGS,
    .shape = CtcLossShape,
    .doc =
        "CTCLoss for devices that need class 0 as the blank; there is none "
        "yet.",
};

}  // namespace millrace::ops
