#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status SoftmaxShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape logits, c.WithRankAtLeast(0, 1));
  return c.Return(std::move(logits));
}

Status CrossEntropyShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape both,
                      shapes::BroadcastShapes(c.input(0), c.input(1)));
  MR_ASSIGN_OR_RETURN(both, ShapeContext::WithRank(both, 2));
  c.set_output(0, PartialShape({both.dim(0)}));
  c.set_output(1, both);
  return OkStatus();
}

Status SparseCrossEntropyShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape features, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape labels, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(const int64_t batch,
                      ShapeContext::MergeDims(features.dim(0), labels.dim(0)));
  features.set_dim(0, batch);
  c.set_output(0, PartialShape({batch}));
  c.set_output(1, std::move(features));
  return OkStatus();
}

}  // namespace

MR_OP(Softmax){
    .inputs = "logits: T",
    .outputs = "softmax: T",
    .attrs = "T: {half, bfloat16, float, double}",
    .shape = SoftmaxShape,
    .doc = "exp(x) / sum(exp(x)) along the last dimension.",
};

MR_OP(LogSoftmax){
    .inputs = "logits: T",
    .outputs = "logsoftmax: T",
    .attrs = "T: {half, bfloat16, float, double}",
    .shape = SoftmaxShape,
    .doc = "x - log(sum(exp(x))) along the last dimension.",
};

MR_OP(SoftmaxCrossEntropyWithLogits){
    .inputs = "features: T, labels: T",
    .outputs = "loss: T, backprop: T",
    .attrs = "T: {half, bfloat16, float, double}",
    .shape = CrossEntropyShape,
    .doc =
        "Cross entropy of a row of logits and a row of probabilities, and "
        "its gradient with respect to the logits.",
};

MR_OP(SparseSoftmaxCrossEntropyWithLogits){
    .inputs = "features: T, labels: Tlabels",
    .outputs = "loss: T, backprop: T",
    .attrs =
        "T: {half, bfloat16, float, double}; Tlabels: {int32, int64} = "
        "int64",
    .shape = SparseCrossEntropyShape,
    .doc =
        "Cross entropy of a row of logits and the number of its class, and "
        "its gradient with respect to the logits.",
};

}  // namespace millrace::ops
