#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

constexpr char kDepths[] =
    "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)";

Status DrawShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  const int64_t depth = images.dim(3);
  if (depth != kUnknownDim && depth != 1 && depth != 3 && depth != 4) {
    return InvalidArgument(kDepths);
  }
  MR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 3));
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(2), 4).status());
  return c.Return(images);
}

Status DrawV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  return c.Return(images);
}

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

}  // namespace millrace::ops
