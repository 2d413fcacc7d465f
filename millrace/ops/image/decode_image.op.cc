// Schemas of ops that decode images.
#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

StatusOr<int64_t> Channels(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const int64_t channels, c.Attr<int64_t>("channels"));
  if (channels < 0) {
    return InvalidArgument("channels must be non-negative, got ", channels);
  }
  return channels == 0 ? kUnknownDim : channels;
}

Status DecodeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t channels, Channels(c));
  return c.Return(PartialShape({kUnknownDim, kUnknownDim, channels}));
}

// A GIF file becomes an animation, with one more dimension, if that is allowed.
Status DecodeImageShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(DecodeShape(c));
  MR_ASSIGN_OR_RETURN(const bool animations, c.Attr<bool>("expand_animations"));
  return animations ? c.Return(PartialShape()) : OkStatus();
}

Status DecodeGifShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.Return(PartialShape({kUnknownDim, kUnknownDim, kUnknownDim, 3}));
}

Status CropJpegShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(DecodeShape(c));
  MR_ASSIGN_OR_RETURN(const PartialShape window, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(WithValue(window.dim(0), 4).status());
  if (const Tensor* value = c.input_value(1)) {
    const int64_t height = IntAt(*value, 2), width = IntAt(*value, 3);
    MR_ASSIGN_OR_RETURN(
        PartialShape shape,
        PartialShape::Make({height, width, c.output(0).dim(2)}));
    return c.Return(std::move(shape));
  }
  return OkStatus();
}

Status JpegShapeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.Return(VectorShape(3));
}

}  // namespace

#define MR_JPEG_ATTRS                                                  \
  "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; "  \
  "try_recover_truncated: bool = false; acceptable_fraction: float = " \
  "1.0; dct_method: string = ''"

MR_OP(DecodeJpeg){
    .inputs = "contents: string",
    .outputs = "image: uint8",
    .attrs = MR_JPEG_ATTRS,
    .shape = DecodeShape,
    .doc =
        "Reads a JPEG picture (or a PNG or GIF one) as [height, width, "
        "channels].",
};
MR_OP(DecodeAndCropJpeg){
    .inputs = "contents: string, crop_window: int32",
    .outputs = "image: uint8",
    .attrs = MR_JPEG_ATTRS,
    .shape = CropJpegShape,
    .doc =
        "Reads the window [y, x, height, width] of a JPEG picture as [height, "
        "width, channels].",
};
MR_OP(ExtractJpegShape){
    .inputs = "contents: string",
    .outputs = "image_shape: output_type",
    .attrs = "output_type: {int32, int64} = int32",
    .shape = JpegShapeShape,
    .doc = "The [height, width, channels] of a JPEG picture.",
};
MR_OP(DecodePng){
    .inputs = "contents: string",
    .outputs = "image: dtype",
    .attrs = "channels: int = 0; dtype: {uint8, uint16} = uint8",
    .shape = DecodeShape,
    .doc =
        "Reads a PNG picture (or a JPEG or GIF one) as [height, width, "
        "channels].",
};
MR_OP(DecodeGif){
    .inputs = "contents: string",
    .outputs = "image: uint8",
    .shape = DecodeGifShape,
    .doc = "Reads a GIF animation as [frames, height, width, 3].",
};
MR_OP(DecodeBmp){
    .inputs = "contents: string",
    .outputs = "image: uint8",
    .attrs = "channels: int = 0",
    .shape = DecodeShape,
    .doc = "Reads a BMP picture as [height, width, channels].",
};
MR_OP(DecodeImage){
    .inputs = "contents: string",
    .outputs = "image: dtype",
    .attrs =
        "channels: int = 0; dtype: {uint8, uint16, float} = uint8; "
        "expand_animations: bool = true",
    .shape = DecodeImageShape,
    .doc =
        "Reads a JPEG, PNG, GIF or BMP picture; a GIF file is an animation "
        "[frames, height, width, 3] if expand_animations, else its first "
        "picture.",
};

}  // namespace millrace::ops
