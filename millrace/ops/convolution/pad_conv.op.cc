#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

// Returns the strides of rows and columns.
StatusOr<std::vector<int64_t>> SpatialStrides(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const auto strides,
                      c.Attr<std::vector<int64_t>>("strides"));
  for (const int64_t stride : strides) {
    if (stride > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Attr strides has value ", stride,
                             " out of range for an int32");
    }
  }
  if (strides.size() != 4) {
    return InvalidArgument(
        "Operation requires the stride attribute to contain 4 values, but "
        "got: ",
        strides.size());
  }
  return std::vector<int64_t>{strides[1], strides[2]};
}

// Returns [batch, height, width, channels] with paddings, which input
// `paddings` holds.
StatusOr<PartialShape> MirroredShape(ShapeContext& c, PartialShape images,
                                     int paddings) {
  MR_ASSIGN_OR_RETURN(const PartialShape matrix, c.WithRank(paddings, 2));
  if (matrix.dim(0) != kUnknownDim) {
    const auto rows =
        static_cast<int>(std::min<int64_t>(matrix.dim(0), kMaxRank));
    MR_ASSIGN_OR_RETURN(images, ShapeContext::WithRank(images, rows));
  }
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeShapes(matrix, PartialShape({images.rank(), 2}))
          .status());
  const Tensor* const value = c.input_value(paddings);
  if (value == nullptr) return PartialShape::UnknownOfRank(4);
  for (int i = 0; i < images.rank(); ++i) {
    const int64_t before = IntAt(*value, 2 * i);
    const int64_t after = IntAt(*value, 2 * i + 1);
    if (before < 0 || after < 0) {
      return InvalidArgument("Paddings must be non-negative");
    }
    MR_ASSIGN_OR_RETURN(const int64_t size,
                        ShapeContext::AddDims(images.dim(i), before + after));
    images.set_dim(i, size);
  }
  return images;
}

// Sets output 0 for images that are mirrored by input `paddings` and convolved
// by the input behind it.
Status PadConvShape(ShapeContext& c, const PartialShape& images, int paddings) {
  MR_ASSIGN_OR_RETURN(const PartialShape padded,
                      MirroredShape(c, images, paddings));
  MR_ASSIGN_OR_RETURN(const PartialShape in, ShapeContext::WithRank(padded, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(paddings + 1, 4));
  MR_ASSIGN_OR_RETURN(const auto strides, SpatialStrides(c));
  MR_ASSIGN_OR_RETURN(const auto padding, c.Attr<std::string>("padding"));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(in.dim(3), filter.dim(2)).status());
  PartialShape out({in.dim(0), kUnknownDim, kUnknownDim, filter.dim(3)});
  for (int i = 0; i < 2; ++i) {
    Window w;
    w.input = in.dim(i + 1);
    w.filter = filter.dim(i);
    w.stride = strides[static_cast<size_t>(i)];
    MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kBuild, padding, &w));
    out.set_dim(i + 1, w.output);
  }
  return c.Return(std::move(out));
}

}  // namespace

MR_OP(FusedPadConv2D){
    .inputs = "input: T, paddings: int32, filter: T",
    .outputs = "output: T",
    .attrs =
        "T: {half, bfloat16, float, double}; mode: {'REFLECT', 'SYMMETRIC'}; "
        "strides: list(int); padding: {'SAME', 'VALID'}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
      return PadConvShape(c, images, 1);
    },
    .doc = "Conv2D of images that MirrorPad has padded.",
};
MR_OP(FusedResizeAndPadConv2D){
    .inputs = "input: T, size: int32, paddings: int32, filter: T",
    .outputs = "output: T",
    .attrs =
        "T: {half, float, double}; resize_align_corners: bool = false; mode: "
        "{'REFLECT', 'SYMMETRIC'}; strides: list(int); padding: {'SAME', "
        "'VALID'}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeShapes(c.input(1), PartialShape({2})).status());
      const Tensor* const size = c.input_value(1);
      for (int i = 0; i < 2; ++i) {
        const int64_t known = size == nullptr ? kUnknownDim : IntAt(*size, i);
        // The kernel refuses sizes that are not positive.
        images.set_dim(i + 1, std::max(known, kUnknownDim));
      }
      return PadConvShape(c, images, 2);
    },
    .doc =
        "Conv2D of images that ResizeBilinear has resized and MirrorPad has "
        "padded.",
};

}  // namespace millrace::ops
