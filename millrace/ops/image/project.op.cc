#include "millrace/graph/shape_context.h"
#include "millrace/ops/image/image_size.op.h"

namespace millrace::ops {
namespace {

Status ProjectShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  return ReturnImages(
      c, {.batch = input.dim(0), .size_input = 2, .channels = input.dim(3)});
}

#define MR_PROJECT_ATTRS                                          \
  "dtype: {uint8, int32, int64, half, bfloat16, float, double}; " \
  "interpolation: string; fill_mode: string = 'CONSTANT'"

}  // namespace

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

}  // namespace millrace::ops
