#include "millrace/ops/convolution/conv.op.h"

#include "millrace/graph/shape_context.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

Status CheckFilterDepth(int64_t input, int64_t filter, int64_t output) {
  if (input == kUnknownDim || filter == kUnknownDim) return OkStatus();
  if (filter == 0) return InvalidArgument("Depth of filter must not be 0");
  if (input % filter != 0) {
    return InvalidArgument("Depth of input (", input,
                           ") is not a multiple of input depth of filter (",
                           filter, ")");
  }
  const int64_t groups = input / filter;
  if (groups == 0) {
    return InvalidArgument("Number of groups must be positive");
  }
  if (output != kUnknownDim && output % groups != 0) {
    return InvalidArgument("Depth of output (", output,
                           ") is not a multiple of the number of groups (",
                           groups, ")");
  }
  return OkStatus();
}

enum class Filters { kFull, kDepthwise };

template <int kSpatial, Filters kFilters>
Status ConvShape(ShapeContext& c) {
  constexpr bool kDepthwise = kFilters == Filters::kDepthwise;
  constexpr SlidingRules kRules{
      .across_is_invalid = kDepthwise || kSpatial == 3,
      .depthwise = kDepthwise};
  MR_ASSIGN_OR_RETURN(const SlidingAttrs attrs,
                      SlidingAttrs::Read(c.attrs(), kSpatial, kRules));
  const ImageLayout& layout = attrs.layout;
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, layout.rank()));
  MR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, layout.rank()));
  const int64_t in_depth = input.dim(layout.channel_dim());
  const int64_t filter_depth = filter.dim(kSpatial);
  int64_t out_depth = filter.dim(kSpatial + 1);
  if constexpr (kFilters == Filters::kDepthwise) {
    MR_ASSIGN_OR_RETURN(const int64_t depth,
                        ShapeContext::MergeDims(in_depth, filter_depth));
    MR_ASSIGN_OR_RETURN(out_depth,
                        ShapeContext::MultiplyDims(depth, out_depth));
  } else if constexpr (kSpatial == 2) {
    MR_RETURN_IF_ERROR(CheckFilterDepth(in_depth, filter_depth, out_depth));
  }
  int64_t sizes[kSpatial];
  for (int i = 0; i < kSpatial; ++i) {
    MR_ASSIGN_OR_RETURN(
        const Window w,
        attrs.MakeWindow(WindowPhase::kBuild, i,
                         input.dim(layout.spatial_dim(i)), filter.dim(i)));
    sizes[i] = w.output;
  }
  return c.Return(ImageShape(layout, input.dim(0), out_depth, sizes));
}

// Sets output 0 to the shape that input kInput holds.
template <int kInput, int kRank>
Status ShapeOfSizes(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(kInput));
  MR_ASSIGN_OR_RETURN(shape, ShapeContext::WithRank(shape, kRank));
  return c.Return(std::move(shape));
}

// Sets output 0 to the shape that an input holds; that of images may be
// [height, width] only.
Status InputGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const auto format, c.Attr<std::string>("data_format"));
  MR_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(format));
  MR_ASSIGN_OR_RETURN(const PartialShape output, c.WithRank(2, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  MR_ASSIGN_OR_RETURN(PartialShape sizes, c.ShapeFromInput(0));
  if (sizes.rank() == 2) {
    return c.Return(
        ImageShape(layout, output.dim(0), filter.dim(2), sizes.dims()));
  }
  MR_ASSIGN_OR_RETURN(sizes, ShapeContext::WithRank(sizes, 4));
  MR_ASSIGN_OR_RETURN(const int64_t batch,
                      ShapeContext::MergeDims(sizes.dim(0), output.dim(0)));
  sizes.set_dim(0, batch);
  return c.Return(std::move(sizes));
}

// Sets output 0 to the shape of input kInput, as in the first versions, whose
// input is the tensor itself.
template <int kInput>
Status ShapeOfTensor(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(kInput, 5));
  return c.Return(std::move(shape));
}

}  // namespace

Status Conv2DShape(ShapeContext& c) { return ConvShape<2, Filters::kFull>(c); }
Status DepthwiseConvShape(ShapeContext& c) {
  return ConvShape<2, Filters::kDepthwise>(c);
}
Status Conv3DShape(ShapeContext& c) { return ConvShape<3, Filters::kFull>(c); }

#define MR_CONV_2D                                                         \
  "strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', "  \
  "'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: " \
  "{'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"
#define MR_DEPTHWISE                                                       \
  "T: {half, bfloat16, float, double}; strides: list(int); padding: "      \
  "{'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; "     \
  "data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, " \
  "1, 1]"
#define MR_CONV_3D                                                         \
  "T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: " \
  "{'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; "         \
  "dilations: list(int) = [1, 1, 1, 1, 1]"
#define MR_CONV_3D_FIRST                                                  \
  "T: {half, float, double}; strides: list(int) >= 5; padding: {'SAME', " \
  "'VALID'}; dilations: list(int) = [1, 1, 1, 1, 1]"

MR_OP(Conv2D){
    .inputs = "input: T, filter: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double, int32}; " MR_CONV_2D,
    .shape = Conv2DShape,
    .doc =
        "Slides a filter [height, width, in channels, out channels] over "
        "images. An input with g times the filter's in channels is convolved "
        "in g groups.",
};
MR_OP(Conv2DBackpropInput){
    .inputs = "input_sizes: int32, filter: T, out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double, int32}; " MR_CONV_2D,
    .shape = InputGradShape,
    .doc = "The gradient of Conv2D with respect to its input.",
};
MR_OP(Conv2DBackpropFilter){
    .inputs = "input: T, filter_sizes: int32, out_backprop: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}; " MR_CONV_2D,
    .shape = ShapeOfSizes<1, 4>,
    .doc = "The gradient of Conv2D with respect to its filter.",
};

MR_OP(DepthwiseConv2dNative){
    .inputs = "input: T, filter: T",
    .outputs = "output: T",
    .attrs = MR_DEPTHWISE,
    .shape = DepthwiseConvShape,
    .doc =
        "Convolves each channel with filters of its own, [height, width, "
        "channels, multiplier].",
};
MR_OP(DepthwiseConv2dNativeBackpropInput){
    .inputs = "input_sizes: int32, filter: T, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_DEPTHWISE,
    .shape = ShapeOfSizes<0, 4>,
    .doc = "The gradient of DepthwiseConv2dNative with respect to its input.",
};
MR_OP(DepthwiseConv2dNativeBackpropFilter){
    .inputs = "input: T, filter_sizes: int32, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_DEPTHWISE,
    .shape = ShapeOfSizes<1, 4>,
    .doc = "The gradient of DepthwiseConv2dNative with respect to its filter.",
};

MR_OP(Conv3D){
    .inputs = "input: T, filter: T",
    .outputs = "output: T",
    .attrs = MR_CONV_3D,
    .shape = Conv3DShape,
    .doc =
        "Slides a filter [depth, height, width, in channels, out channels] "
        "over volumes.",
};
MR_OP(Conv3DBackpropInputV2){
    .inputs = "input_sizes: Tshape, filter: T, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_CONV_3D "; Tshape: {int32, int64} = int32",
    .shape = ShapeOfSizes<0, 5>,
    .doc = "The gradient of Conv3D with respect to its input.",
};
MR_OP(Conv3DBackpropFilterV2){
    .inputs = "input: T, filter_sizes: int32, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_CONV_3D,
    .shape = ShapeOfSizes<1, 5>,
    .doc = "The gradient of Conv3D with respect to its filter.",
};
MR_OP(Conv3DBackpropInput){
    .inputs = "input: T, filter: T, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_CONV_3D_FIRST,
    .shape = ShapeOfTensor<0>,
    .doc = "Conv3DBackpropInputV2 that takes the size from a tensor.",
    .deprecated_version = 10,
    .deprecated_hint = "Use Conv3DBackpropInputV2",
};
MR_OP(Conv3DBackpropFilter){
    .inputs = "input: T, filter: T, out_backprop: T",
    .outputs = "output: T",
    .attrs = MR_CONV_3D_FIRST,
    .shape = ShapeOfTensor<1>,
    .doc = "Conv3DBackpropFilterV2 that takes the size from a tensor.",
    .deprecated_version = 10,
    .deprecated_hint = "Use Conv3DBackpropFilterV2",
};

}  // namespace millrace::ops
