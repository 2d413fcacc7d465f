// Windows that slide along the spatial dimensions of images and volumes: what
// convolutions, pooling and patches have in common, for shape functions and
// kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/graph/shape_context.h"
#include "millrace/tensor/shape.h"

namespace millrace::ops {

inline constexpr int kMaxSpatial = 3;

// Windows along one dimension. Sizes may be kUnknownDim in shape functions.
struct Window {
  int64_t input = 1, filter = 1, stride = 1, dilation = 1;
  int64_t output = 1;
  int64_t before = 0, after = 0;  // padding

  // Elements of the input that a window spans.
  int64_t span() const { return (filter - 1) * dilation + 1; }
};

// Fills output, and the padding unless it is EXPLICIT. With an unknown size
// the output is unknown, unless padding is SAME and only the filter is.
// INVALID_ARGUMENT for a stride or dilation below 1 and for a filter that does
// not fit: "Computed output size would be negative" of a run, which takes one
// that leaves no output; "Negative dimension size caused by ..." of a graph
// that is built, which does not.
enum class WindowPhase { kBuild, kRun };
Status ResolveWindow(WindowPhase phase, const std::string& padding,
                     Window* window);

// Where batch, channels and the `spatial` (2 or 3) dimensions of a tensor are.
struct ImageLayout {
  bool channels_first = false;
  int spatial = 2;

  int rank() const { return spatial + 2; }
  int channel_dim() const { return channels_first ? 1 : spatial + 1; }
  int spatial_dim(int i) const { return channels_first ? i + 2 : i + 1; }
};

// Of "NHWC", "NCHW", "NDHWC", "NCDHW". INVALID_ARGUMENT for others.
StatusOr<ImageLayout> LayoutOf(const std::string& data_format);

// What an attribute with a number for every dimension gives.
StatusOr<std::vector<int64_t>> IntListOr(const AttrMap& attrs,
                                         absl::string_view name,
                                         std::vector<int64_t> otherwise);

// Attributes `strides`, `dilations`, `explicit_paddings`, `padding` and
// `data_format`; those that the op lacks have the schema's usual default.
struct SlidingAttrs {
  ImageLayout layout;
  std::string padding;
  std::vector<int64_t> strides, dilations, explicit_paddings;

  // `spatial` is the number of spatial dimensions. INVALID_ARGUMENT for lists
  // of a wrong length, numbers below 1 and paddings that do not fit `padding`;
  // UNIMPLEMENTED for strides of batch and channels.
  static StatusOr<SlidingAttrs> Read(const AttrMap& attrs, int spatial);

  // The window along spatial dimension i.
  StatusOr<Window> MakeWindow(WindowPhase phase, int i, int64_t input,
                              int64_t filter) const;
};

// A shape with batch, channels and spatial sizes put where `layout` has them.
PartialShape ImageShape(const ImageLayout& layout, int64_t batch,
                        int64_t channels, absl::Span<const int64_t> spatial);

}  // namespace millrace::ops
