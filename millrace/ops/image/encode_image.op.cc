// Schemas of ops that encode images.
#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status EncodeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 3).status());
  return c.Return(TensorShape());
}

Status EncodePngShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  return c.Return(Subshape(images, 0, -3));
}

}  // namespace

MR_OP(EncodeJpeg){
    .inputs = "image: uint8",
    .outputs = "contents: string",
    .attrs =
        "format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; "
        "progressive: bool = false; optimize_size: bool = false; "
        "chroma_downsampling: bool = true; density_unit: {'in', 'cm'} = 'in'; "
        "x_density: int = 300; y_density: int = 300; xmp_metadata: string = "
        "''",
    .shape = EncodeShape,
    .doc = "Writes a picture [height, width, channels] as a JPEG file.",
};
MR_OP(EncodeJpegVariableQuality){
    .inputs = "images: uint8, quality: int32",
    .outputs = "contents: string",
    .shape = EncodeShape,
    .doc =
        "Writes a picture [height, width, channels] as a JPEG file of a "
        "quality from 0 to 100.",
};
MR_OP(EncodePng){
    .inputs = "image: T",
    .outputs = "contents: string",
    .attrs = "compression: int = -1; T: {uint8, uint16} = uint8",
    .shape = EncodePngShape,
    .doc = "Writes pictures [..., height, width, channels] as PNG files.",
};

}  // namespace millrace::ops
