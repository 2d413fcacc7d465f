#include "millrace/ops/image/image_size.op.h"

#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

Status ReturnImages(ShapeContext& c, const ImagesOfSize& images) {
  MR_ASSIGN_OR_RETURN(const PartialShape sizes,
                      c.WithRank(images.size_input, 1));
  MR_RETURN_IF_ERROR(WithValue(sizes.dim(0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* value = c.input_value(images.size_input)) {
    height = IntAt(*value, 0);
    width = IntAt(*value, 1);
  }
  MR_ASSIGN_OR_RETURN(
      PartialShape shape,
      PartialShape::Make({images.batch, height, width, images.channels}));
  return c.Return(std::move(shape));
}

Status ResizeShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  return ReturnImages(
      c, {.batch = input.dim(0), .size_input = 1, .channels = input.dim(3)});
}

}  // namespace millrace::ops
