#include "millrace/graph/shape_context.h"
#include "millrace/ops/image/image_size.op.h"

namespace millrace::ops {

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
    .shape = [](ShapeContext& c) { return c.Return(c.input(1)); },
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
    .shape = [](ShapeContext& c) { return c.Return(c.input(1)); },
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

}  // namespace millrace::ops
