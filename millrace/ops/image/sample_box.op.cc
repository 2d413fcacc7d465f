#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status SampleBoxShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(0, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 3));
  if (c.num_inputs() > 2) MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_RETURN_IF_ERROR(WithValue(size.dim(0), 3).status());
  MR_RETURN_IF_ERROR(WithValue(boxes.dim(2), 4).status());
  if (c.num_inputs() > 3) MR_RETURN_IF_ERROR(CheckSeed(c, 3));
  c.set_output(0, VectorShape(3));
  c.set_output(1, VectorShape(3));
  c.set_output(2, PartialShape({1, 1, 4}));
  return OkStatus();
}

#define MR_BOX_TYPES "T: {uint8, int8, int16, int32, int64}; "
#define MR_BOX_RANGES                                            \
  "aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: " \
  "list(float) = [0.05, 1.0]; max_attempts: int = 100; "         \
  "use_image_if_no_bounding_boxes: bool = false"

}  // namespace

MR_OP(SampleDistortedBoundingBox){
    .inputs = "image_size: T, bounding_boxes: float",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES
    "seed: int = 0; seed2: int = 0; min_object_covered: float = 0.1; "  //
    MR_BOX_RANGES,
    .flags = kStateful,
    .shape = SampleBoxShape,
    .doc =
        "A window of a picture by chance that covers enough of one of the "
        "boxes, as arguments of Slice and as a box.",
};
MR_OP(SampleDistortedBoundingBoxV2){
    .inputs = "image_size: T, bounding_boxes: float, min_object_covered: float",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES "seed: int = 0; seed2: int = 0; " MR_BOX_RANGES,
    .flags = kStateful,
    .shape = SampleBoxShape,
    .doc = "SampleDistortedBoundingBox with the part to cover as an input.",
};
MR_OP(StatelessSampleDistortedBoundingBox){
    .inputs =
        "image_size: T, bounding_boxes: float, min_object_covered: float, "
        "seed: Tseed",
    .outputs = "begin: T, size: T, bboxes: float",
    .attrs = MR_BOX_TYPES "Tseed: {int32, int64}; " MR_BOX_RANGES,
    .shape = SampleBoxShape,
    .doc = "SampleDistortedBoundingBoxV2 that a seed alone decides.",
};

}  // namespace millrace::ops
