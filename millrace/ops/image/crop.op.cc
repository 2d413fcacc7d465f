#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/image/image_size.op.h"

namespace millrace::ops {
namespace {

Status CropShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape index, c.WithRank(2, 1));
  MR_ASSIGN_OR_RETURN(const int64_t n,
                      ShapeContext::MergeDims(boxes.dim(0), index.dim(0)));
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(1), 4).status());
  return ReturnImages(c,
                      {.batch = n, .size_input = 3, .channels = input.dim(3)});
}

Status CropGradImageShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(3));
  MR_ASSIGN_OR_RETURN(shape, ShapeContext::WithRank(shape, 4));
  return c.Return(std::move(shape));
}

Status CropGradBoxesShape(ShapeContext& c) { return c.Return(c.input(2)); }

}  // namespace

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

}  // namespace millrace::ops
