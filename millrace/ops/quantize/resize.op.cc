#include "millrace/ops/image/image_size.op.h"
#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizedResizeBilinear){
    .inputs = "images: T, size: int32, min: float, max: float",
    .outputs = "resized_images: T, out_min: float, out_max: float",
    .attrs =
        "T: {quint8, qint32, float}; align_corners: bool = false; "
        "half_pixel_centers: bool = false",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(ResizeShape(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 4);
    },
    .doc = "ResizeBilinear of quantized numbers, whose range stays.",
};

}  // namespace millrace::ops
