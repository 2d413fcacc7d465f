#include "millrace/ops/nn/bias_add.op.h"

namespace millrace::ops {
namespace {

// Returns the dimension of the channels: the last one, or dimension 1 of NCHW.
StatusOr<int> ChannelDim(ShapeContext& c, const PartialShape& value) {
  MR_ASSIGN_OR_RETURN(const std::string format,
                      c.Attr<std::string>("data_format"));
  return format == "NCHW" ? 1 : value.rank() - 1;
}

}  // namespace

Status BiasAddShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape value, c.WithRankAtLeast(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape bias, c.WithRank(1, 1));
  if (!value.known_rank()) return c.Return(PartialShape());
  int channel = value.rank() - 1;
  if (c.attrs().Find("data_format")) {
    MR_ASSIGN_OR_RETURN(channel, ChannelDim(c, value));
  }
  MR_ASSIGN_OR_RETURN(const int64_t size,
                      ShapeContext::MergeDims(value.dim(channel), bias.dim(0)));
  value.set_dim(channel, size);
  return c.Return(std::move(value));
}

namespace {

Status BiasAddGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape value, c.WithRankAtLeast(0, 2));
  if (!value.known_rank()) return c.Return(PartialShape({kUnknownDim}));
  MR_ASSIGN_OR_RETURN(const int channel, ChannelDim(c, value));
  return c.Return(PartialShape({value.dim(channel)}));
}

}  // namespace

MR_OP(BiasAdd){
    .inputs = "value: T, bias: T",
    .outputs = "output: T",
    .attrs = "T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    .shape = BiasAddShape,
    .doc = "Adds a vector along the channel dimension.",
};

MR_OP(BiasAddV1){
    .inputs = "value: T, bias: T",
    .outputs = "output: T",
    .attrs = "T: numbertype",
    .shape = BiasAddShape,
    .doc = "BiasAdd along the last dimension.",
};

MR_OP(BiasAddGrad){
    .inputs = "out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    .shape = BiasAddGradShape,
    .doc = "The sum over all dimensions but the channels.",
};

}  // namespace millrace::ops
