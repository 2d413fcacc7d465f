// Schemas of ops that change the colours of images, pixel by pixel or by their
// mean.
#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status PixelsShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape pixels, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(WithValue(ShapeContext::Dim(pixels, -1), 3).status());
  if (!pixels.known_rank()) return c.Return(pixels);
  MR_ASSIGN_OR_RETURN(PartialShape shape,
                      ShapeContext::ReplaceDim(pixels, -1, 3));
  return c.Return(std::move(shape));
}

Status PicturesShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape pictures, c.WithRankAtLeast(0, 3));
  return c.Return(pictures);
}

Status ContrastShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return PicturesShape(c);
}

// The factor and both bounds are scalars.
Status FirstContrastShape(ShapeContext& c) {
  for (int i = 1; i < 4; ++i) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return PicturesShape(c);
}

}  // namespace

MR_OP(RGBToHSV){
    .inputs = "images: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double} = float",
    .shape = PixelsShape,
    .doc = "Red, green and blue as hue, saturation and value, all in [0, 1].",
};
MR_OP(HSVToRGB){
    .inputs = "images: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double} = float",
    .shape = PixelsShape,
    .doc = "Hue, saturation and value as red, green and blue.",
};
MR_OP(AdjustContrast){
    .inputs =
        "images: T, contrast_factor: float, min_value: float, max_value: float",
    .outputs = "output: float",
    .attrs = "T: {uint8, int8, int16, int32, int64, float, double}",
    .shape = FirstContrastShape,
    .doc = "AdjustContrastv2 whose results are clipped.",
    .deprecated_version = 2,
    .deprecated_hint = "Use AdjustContrastv2 instead",
};
MR_OP(AdjustContrastv2){
    .inputs = "images: T, contrast_factor: float",
    .outputs = "output: T",
    .attrs = "T: {half, float} = float",
    .shape = ContrastShape,
    .doc =
        "Moves each channel of a picture away from its mean: (x - mean) * "
        "factor + mean.",
};
MR_OP(AdjustHue){
    .inputs = "images: T, delta: float",
    .outputs = "output: T",
    .attrs = "T: {half, float} = float",
    .shape = PicturesShape,
    .doc = "Turns the hue of each pixel by a part of the circle.",
};
MR_OP(AdjustSaturation){
    .inputs = "images: T, scale: float",
    .outputs = "output: T",
    .attrs = "T: {half, float} = float",
    .shape = PicturesShape,
    .doc = "Multiplies the saturation of each pixel.",
};

}  // namespace millrace::ops
