// Ops about boxes in pictures, and windows cut out of them.
#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

constexpr char kDepths[] =
    "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)";

Status DrawShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape images, c.WithRank(0, 4));
  const int64_t depth = images.dim(3);
  if (depth != kUnknownDim && depth != 1 && depth != 3 && depth != 4) {
    return InvalidArgument(kDepths);
  }
  MR_ASSIGN(const PartialShape boxes, c.WithRank(1, 3));
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(2), 4).status());
  return c.Return(images);
}

Status DrawV2Shape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape images, c.WithRankAtLeast(0, 3));
  return c.Return(images);
}

// [height, width] of the result by input `size`.
Status SetSize(ShapeContext& c, int size, int64_t batch, int64_t channels) {
  MR_ASSIGN(const PartialShape sizes, c.WithRank(size, 1));
  MR_RETURN_IF_ERROR(WithValue(sizes.dim(0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* value = c.input_value(size)) {
    height = IntAt(*value, 0);
    width = IntAt(*value, 1);
  }
  MR_ASSIGN(PartialShape shape,
            PartialShape::Make({batch, height, width, channels}));
  return c.Return(std::move(shape));
}

Status GlimpseShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  MR_ASSIGN(const PartialShape offsets, c.WithRank(2, 2));
  MR_ASSIGN(const int64_t batch,
            ShapeContext::MergeDims(input.dim(0), offsets.dim(0)));
  MR_RETURN_IF_ERROR(WithValue(offsets.dim(1), 2).status());
  MR_ASSIGN(const bool uniform, c.Attr<bool>("uniform_noise"));
  MR_ASSIGN(const auto noise, c.Attr<std::string>("noise"));
  if (uniform && !noise.empty() && noise != "uniform") {
    return InvalidArgument(
        "The uniform_noise and noise should not be specified at the same time");
  }
  return SetSize(c, 1, batch, input.dim(3));
}

Status ProjectShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  return SetSize(c, 2, input.dim(0), input.dim(3));
}

Status SampleBoxShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape size, c.WithRank(0, 1));
  MR_ASSIGN(const PartialShape boxes, c.WithRank(1, 3));
  if (c.num_inputs() > 2) MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_RETURN_IF_ERROR(WithValue(size.dim(0), 3).status());
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(2), 4).status());
  if (c.num_inputs() > 3) {
    MR_ASSIGN(const PartialShape seed, c.WithRank(3, 1));
    MR_RETURN_IF_ERROR(WithValue(seed.dim(0), 2).status());
  }
  c.set_output(0, VectorShape(3));
  c.set_output(1, VectorShape(3));
  c.set_output(2, PartialShape({1, 1, 4}));
  return OkStatus();
}

#define MR_GLIMPSE_ATTRS                                            \
  "centered: bool = true; normalized: bool = true; uniform_noise: " \
  "bool = true; noise: string = 'uniform'"
#define MR_PROJECT_ATTRS                                          \
  "dtype: {uint8, int32, int64, half, bfloat16, float, double}; " \
  "interpolation: string; fill_mode: string = 'CONSTANT'"
#define MR_BOX_TYPES "T: {uint8, int8, int16, int32, int64}; "
#define MR_BOX_RANGES                                            \
  "aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: " \
  "list(float) = [0.05, 1.0]; max_attempts: int = 100; "         \
  "use_image_if_no_bounding_boxes: bool = false"

}  // namespace

MR_OP(DrawBoundingBoxes){
    .inputs = "images: T, boxes: float",
    .outputs = "output: T",
    .attrs = "T: {float, half} = float",
    .shape = DrawShape,
    .doc = "Draws the outlines of boxes, given in relative coordinates.",
};
MR_OP(DrawBoundingBoxesV2){
    .inputs = "images: T, boxes: float, colors: float",
    .outputs = "output: T",
    .attrs = "T: {float, half} = float",
    .shape = DrawV2Shape,
    .doc = "DrawBoundingBoxes with colours to go through.",
};
MR_OP(ExtractGlimpse){
    .inputs = "input: float, size: int32, offsets: float",
    .outputs = "glimpse: float",
    .attrs = MR_GLIMPSE_ATTRS,
    .shape = GlimpseShape,
    .doc =
        "Windows of pictures around given places; what lies outside is noise.",
};
MR_OP(ExtractGlimpseV2){
    .inputs = "input: float, size: int32, offsets: float",
    .outputs = "glimpse: float",
    .attrs = MR_GLIMPSE_ATTRS,
    .shape = GlimpseShape,
    .doc =
        "ExtractGlimpse that takes offsets in pixels as the upper left "
        "corner.",
};
MR_OP(ImageProjectiveTransformV2){
    .inputs = "images: dtype, transforms: float, output_shape: int32",
    .outputs = "transformed_images: dtype",
    .attrs = MR_PROJECT_ATTRS,
    .shape = ProjectShape,
    .doc =
        "Maps pictures by projective transforms of eight numbers, each from "
        "places of the result to places of the picture.",
};
MR_OP(ImageProjectiveTransformV3){
    .inputs =
        "images: dtype, transforms: float, output_shape: int32, fill_value: "
        "float",
    .outputs = "transformed_images: dtype",
    .attrs = MR_PROJECT_ATTRS,
    .shape = ProjectShape,
    .doc =
        "ImageProjectiveTransformV2 with a value for what lies outside the "
        "picture.",
};
MR_OP(SampleDistortedBoundingBox){
    .inputs = "image_size: T, bounding_boxes: float",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES
    "seed: int = 0; seed2: int = 0; min_object_covered: float = 0.1; "  //
    MR_BOX_RANGES,
    .flags = kStateful,
    .shape = SampleBoxShape,
    .doc =
        "A window of a picture by chance that covers enough of one of the "
        "boxes, as arguments of Slice and as a box.",
};
MR_OP(SampleDistortedBoundingBoxV2){
    .inputs = "image_size: T, bounding_boxes: float, min_object_covered: float",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES "seed: int = 0; seed2: int = 0; " MR_BOX_RANGES,
    .flags = kStateful,
    .shape = SampleBoxShape,
    .doc = "SampleDistortedBoundingBox with the part to cover as an input.",
};
MR_OP(StatelessSampleDistortedBoundingBox){
    .inputs =
        "image_size: T, bounding_boxes: float, min_object_covered: float, "
        "seed: Tseed",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES "Tseed: {int32, int64}; " MR_BOX_RANGES,
    .shape = SampleBoxShape,
    .doc = "SampleDistortedBoundingBoxV2 that a seed alone decides.",
};

}  // namespace millrace::ops
