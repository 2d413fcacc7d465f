#include "millrace/ops/image/resize.op.h"

#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// [batch, height, width, channels] with the sizes that input `size` holds.
Status WithSize(ShapeContext& c, int size, int64_t batch, int64_t channels) {
  MR_ASSIGN(const PartialShape sizes, c.WithRank(size, 1));
  MR_RETURN_IF_ERROR(WithValue(sizes.dim(0), 2).status());
  PartialShape shape({batch, kUnknownDim, kUnknownDim, channels});
  if (const Tensor* value = c.input_value(size)) {
    shape.set_dim(1, IntAt(*value, 0));
    shape.set_dim(2, IntAt(*value, 1));
  }
  return c.Return(std::move(shape));
}

}  // namespace

Status ResizeShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  return WithSize(c, 1, input.dim(0), input.dim(3));
}

namespace {

Status LikeOriginal(ShapeContext& c) { return c.Return(c.input(1)); }

Status CropShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape input, c.WithRank(0, 4));
  MR_ASSIGN(const PartialShape boxes, c.WithRank(1, 2));
  MR_ASSIGN(const PartialShape index, c.WithRank(2, 1));
  MR_ASSIGN(const int64_t n,
            ShapeContext::MergeDims(boxes.dim(0), index.dim(0)));
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(1), 4).status());
  return WithSize(c, 3, n, input.dim(3));
}

Status CropGradImageShape(ShapeContext& c) {
  MR_ASSIGN(PartialShape shape, c.ShapeFromInput(3));
  MR_ASSIGN(shape, ShapeContext::WithRank(shape, 4));
  return c.Return(std::move(shape));
}

Status CropGradBoxesShape(ShapeContext& c) { return c.Return(c.input(2)); }

}  // namespace

MR_OP(ResizeBilinear){
    .inputs = "images: T, size: int32",
    .outputs = "resized_images: float",
    .attrs =
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, "
        "double, bfloat16}; align_corners: bool = false; half_pixel_centers: "
        "bool = false",
    .shape = ResizeShape,
    .doc =
        "Resizes images by linear interpolation between the four nearest "
        "pixels.",
};
MR_OP(ResizeBilinearGrad){
    .inputs = "grads: float, original_image: T",
    .outputs = "output: T",
    .attrs =
        "T: {float, bfloat16, half, double}; align_corners: bool = false; "
        "half_pixel_centers: bool = false",
    .shape = LikeOriginal,
    .doc = "The gradient of ResizeBilinear.",
};
MR_OP(ResizeNearestNeighbor){
    .inputs = "images: T, size: int32",
    .outputs = "resized_images: T",
    .attrs =
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}; align_corners: bool = false; half_pixel_centers: bool = "
        "false",
    .shape = ResizeShape,
    .doc = "Resizes images; each pixel is the nearest one of the original.",
};
MR_OP(ResizeNearestNeighborGrad){
    .inputs = "grads: T, size: int32",
    .outputs = "output: T",
    .attrs =
        "T: {uint8, int8, int32, half, float, double, bfloat16}; "
        "align_corners: bool = false; half_pixel_centers: bool = false",
    .shape = ResizeShape,
    .doc = "The gradient of ResizeNearestNeighbor.",
};
MR_OP(ResizeBicubic){
    .inputs = "images: T, size: int32",
    .outputs = "resized_images: float",
    .attrs =
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}; align_corners: bool = false; half_pixel_centers: bool = "
        "false",
    .shape = ResizeShape,
    .doc =
        "Resizes images by cubic interpolation between the sixteen nearest "
        "pixels.",
};
MR_OP(ResizeBicubicGrad){
    .inputs = "grads: float, original_image: T",
    .outputs = "output: T",
    .attrs =
        "T: {float, double}; align_corners: bool = false; half_pixel_centers: "
        "bool = false",
    .shape = LikeOriginal,
    .doc = "The gradient of ResizeBicubic.",
};
MR_OP(ResizeArea){
    .inputs = "images: T, size: int32",
    .outputs = "resized_images: float",
    .attrs =
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}; align_corners: bool = false",
    .shape = ResizeShape,
    .doc = "Resizes images; each pixel is the mean of the area that it covers.",
};
MR_OP(CropAndResize){
    .inputs = "image: T, boxes: float, box_ind: int32, crop_size: int32",
    .outputs = "crops: float",
    .attrs =
        "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; "
        "method: {'bilinear', 'nearest'} = 'bilinear'; extrapolation_value: "
        "float = 0.0",
    .shape = CropShape,
    .doc =
        "Cuts boxes, given in relative coordinates, out of images and resizes "
        "them to one size.",
};
MR_OP(CropAndResizeGradImage){
    .inputs = "grads: float, boxes: float, box_ind: int32, image_size: int32",
    .outputs = "output: T",
    .attrs =
        "T: {float, half, double}; method: {'bilinear', 'nearest'} = "
        "'bilinear'",
    .shape = CropGradImageShape,
    .doc = "The gradient of CropAndResize with respect to its images.",
};
MR_OP(CropAndResizeGradBoxes){
    .inputs = "grads: float, image: T, boxes: float, box_ind: int32",
    .outputs = "output: float",
    .attrs =
        "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; "
        "method: {'bilinear'} = 'bilinear'",
    .shape = CropGradBoxesShape,
    .doc = "The gradient of CropAndResize with respect to its boxes.",
};
MR_OP(ScaleAndTranslate){
    .inputs = "images: T, size: int32, scale: float, translation: float",
    .outputs = "resized_images: float",
    .attrs =
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, "
        "double}; kernel_type: string = 'lanczos3'; antialias: bool = true",
    .shape = ResizeShape,
    .doc =
        "Resizes and moves images by a sampling kernel, which with antialias "
        "grows where they get smaller; what lies outside is 0.",
};
MR_OP(ScaleAndTranslateGrad){
    .inputs = "grads: T, original_image: T, scale: float, translation: float",
    .outputs = "output: T",
    .attrs =
        "T: {float}; kernel_type: string = 'lanczos3'; antialias: bool = true",
    .shape = LikeOriginal,
    .doc = "The gradient of ScaleAndTranslate.",
};

}  // namespace millrace::ops
