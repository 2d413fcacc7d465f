#include "millrace/graph/shape_context.h"
#include "millrace/ops/image/image_size.op.h"

namespace millrace::ops {

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
    .shape = [](ShapeContext& c) { return c.Return(c.input(1)); },
    .doc = "The gradient of ScaleAndTranslate.",
};

}  // namespace millrace::ops
