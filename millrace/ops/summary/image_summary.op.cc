#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(ImageSummary){
    .inputs = "tag: string, tensor: T",
    .outputs = "summary: string",
    .attrs =
        "max_images: int >= 1 = 3; T: {uint8, float, half, double} = float; "
        "bad_color: tensor = uint8[255, 0, 0, 255]",
    .shape = shapes::Scalar,
    .doc =
        "The first pictures of a batch [batch, height, width, channels] as "
        "PNG. Numbers that are not uint8 are scaled by the largest magnitude "
        "of their picture, around 128 if there are negative ones; pixels that "
        "are not finite become `bad_color`.",
};

}  // namespace millrace::ops
