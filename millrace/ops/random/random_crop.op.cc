#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status RandomCropShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape image, c.WithRank(0, 3));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeShapes(c.input(1), PartialShape({2})).status());
  int64_t height = kUnknownDim;
  int64_t width = kUnknownDim;
  if (const Tensor* const size = c.input_value(1)) {
    height = std::max(kUnknownDim, size->flat<int64_t>()[0]);
    width = std::max(kUnknownDim, size->flat<int64_t>()[1]);
  }
  return c.Return(PartialShape({height, width, image.dim(2)}));
}

}  // namespace

MR_OP(RandomCrop){
    .inputs = "image: T, size: int64",
    .outputs = "output: T",
    .attrs =
        "T: {uint8, int8, int16, int32, int64, float, double}; seed: int = 0; "
        "seed2: int = 0",
    .flags = kStateful,
    .shape = RandomCropShape,
    .doc = "A part of an image, `size` rows and columns at a place by chance.",
    .deprecated_version = 8,
    .deprecated_hint = "Random crop is now pure Python",
};

}  // namespace millrace::ops
