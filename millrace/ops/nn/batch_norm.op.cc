#include "millrace/graph/shape_context.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

struct ChannelShape {
  PartialShape image;
  int64_t channels = kUnknownDim;
};

// Returns the first input's shape and its channels, merged with those of the
// given vectors.
StatusOr<ChannelShape> ReadChannels(ShapeContext& c, int image,
                                    std::initializer_list<int> vectors) {
  MR_ASSIGN_OR_RETURN(const auto format, c.Attr<std::string>("data_format"));
  MR_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(format));
  ChannelShape s;
  MR_ASSIGN_OR_RETURN(s.image, c.WithRank(image, layout.rank()));
  s.channels = s.image.dim(layout.channel_dim());
  for (const int i : vectors) {
    MR_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    MR_ASSIGN_OR_RETURN(s.channels,
                        ShapeContext::MergeDims(s.channels, vector.dim(0)));
  }
  s.image.set_dim(layout.channel_dim(), s.channels);
  return s;
}

Status BatchNormShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const bool training, c.Attr<bool>("is_training"));
  MR_ASSIGN_OR_RETURN(const float factor,
                      c.Attr<float>("exponential_avg_factor"));
  ChannelShape s;
  if (training && factor == 1.0f) {
    // Mean and variance may be empty.
    MR_ASSIGN_OR_RETURN(s, ReadChannels(c, 0, {1, 2}));
  } else {
    MR_ASSIGN_OR_RETURN(s, ReadChannels(c, 0, {1, 2, 3, 4}));
  }
  c.set_output(0, s.image);
  for (int i = 1; i < 5; ++i) c.set_output(i, PartialShape({s.channels}));
  return OkStatus();
}

Status BatchNormExShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(BatchNormShape(c));
  PartialShape image = c.output(0);
  for (int i = 5; i < c.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(image, ShapeContext::MergeShapes(image, c.input(i)));
  }
  return c.Return(std::move(image));
}

Status BatchNormGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(ChannelShape s, ReadChannels(c, 0, {2, 3, 4}));
  MR_ASSIGN_OR_RETURN(s.image, ShapeContext::MergeShapes(s.image, c.input(1)));
  c.set_output(0, s.image);
  c.set_output(1, PartialShape({s.channels}));
  c.set_output(2, PartialShape({s.channels}));
  c.set_output(3, PartialShape({0}));
  c.set_output(4, PartialShape({0}));
  return OkStatus();
}

}  // namespace

MR_OP(FusedBatchNorm){
    .inputs = "x: T, scale: T, offset: T, mean: T, variance: T",
    .outputs =
        "y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, "
        "reserve_space_2: T",
    .attrs =
        "T: {float}; epsilon: float = 9.999999747378752e-05; "
        "exponential_avg_factor: float = 1.0; data_format: {'NHWC', 'NCHW'} = "
        "'NHWC'; is_training: bool = true",
    .shape = BatchNormShape,
    .doc =
        "Scales each channel to a given deviation and shifts it to a given "
        "mean, by the batch's statistics in training, else by given ones.",
};
MR_OP(FusedBatchNormV2){
    .inputs = "x: T, scale: U, offset: U, mean: U, variance: U",
    .outputs =
        "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, "
        "reserve_space_2: U",
    .attrs =
        "T: {half, bfloat16, float}; U: {float}; epsilon: float = "
        "9.999999747378752e-05; exponential_avg_factor: float = 1.0; "
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true",
    .shape = BatchNormShape,
    .doc = "FusedBatchNorm whose statistics have a type of their own.",
};
MR_OP(FusedBatchNormV3){
    .inputs = "x: T, scale: U, offset: U, mean: U, variance: U",
    .outputs =
        "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, "
        "reserve_space_2: U, reserve_space_3: U",
    .attrs =
        "T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = "
        "9.999999747378752e-05; exponential_avg_factor: float = 1.0; "
        "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; "
        "is_training: bool = true",
    .shape = BatchNormShape,
    .doc =
        "FusedBatchNormV2 with one more output for its gradient, also of "
        "volumes.",
};
MR_OP(_FusedBatchNormEx){
    .inputs =
        "x: T, scale: U, offset: U, mean: U, variance: U, side_input: "
        "num_side_inputs * T",
    .outputs =
        "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, "
        "reserve_space_2: U, reserve_space_3: U",
    .attrs =
        "T: {half, float, bfloat16}; U: {float}; epsilon: float = "
        "9.999999747378752e-05; exponential_avg_factor: float = 1.0; "
        "num_side_inputs: int >= 0 = 0; activation_mode: string = 'Identity'; "
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true",
    .shape = BatchNormExShape,
    .doc =
        "FusedBatchNormV3, then the sum with a side input and Relu if "
        "activation_mode says so. Stock's graph rewriting makes it.",
};
MR_OP(FusedBatchNormGrad){
    .inputs =
        "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T",
    .outputs =
        "x_backprop: T, scale_backprop: T, offset_backprop: T, "
        "reserve_space_3: T, reserve_space_4: T",
    .attrs =
        "T: {float}; epsilon: float = 9.999999747378752e-05; data_format: "
        "{'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true",
    .shape = BatchNormGradShape,
    .doc = "The gradient of FusedBatchNorm.",
};
MR_OP(FusedBatchNormGradV2){
    .inputs =
        "y_backprop: T, x: T, scale: float, reserve_space_1: U, "
        "reserve_space_2: U",
    .outputs =
        "x_backprop: T, scale_backprop: U, offset_backprop: U, "
        "reserve_space_3: U, reserve_space_4: U",
    .attrs =
        "T: {half, bfloat16, float}; U: {float}; epsilon: float = "
        "9.999999747378752e-05; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
        "is_training: bool = true",
    .shape = BatchNormGradShape,
    .doc = "The gradient of FusedBatchNormV2.",
};
MR_OP(FusedBatchNormGradV3){
    .inputs =
        "y_backprop: T, x: T, scale: float, reserve_space_1: U, "
        "reserve_space_2: U, reserve_space_3: U",
    .outputs =
        "x_backprop: T, scale_backprop: U, offset_backprop: U, "
        "reserve_space_4: U, reserve_space_5: U",
    .attrs =
        "T: {half, bfloat16, float}; U: {float}; epsilon: float = "
        "9.999999747378752e-05; data_format: {'NHWC', 'NCHW', 'NDHWC', "
        "'NCDHW'} = 'NHWC'; is_training: bool = true",
    .shape = BatchNormGradShape,
    .doc = "The gradient of FusedBatchNormV3.",
};

}  // namespace millrace::ops
