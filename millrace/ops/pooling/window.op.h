// Windows that slide along the spatial dimensions of images and volumes: what
// convolutions, pooling and patches share, for shape functions and kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/graph/shape_context.h"
#include "millrace/tensor/shape.h"

namespace millrace::ops {

inline constexpr int kMaxSpatial = 3;

// The windows along one dimension. In shape functions sizes may be kUnknownDim.
struct Window {
  int64_t input = 1, filter = 1, stride = 1, dilation = 1;
  int64_t output = 1;
  int64_t before = 0, after = 0;  // padding

  // Returns the number of input elements from the first to the last of a
  // window.
  int64_t span() const { return (filter - 1) * dilation + 1; }
};

// Sets the output and, unless padding is EXPLICIT, the padding. The output is
// unknown if a size is, except for an unknown filter with SAME padding. Returns
// INVALID_ARGUMENT for a stride or dilation below 1 and for a filter that does
// not fit: in a run "Computed output size would be negative", where an empty
// output is allowed; in a graph under construction "Negative dimension size
// caused by ...", where it is not.
enum class WindowPhase { kBuild, kRun };
Status ResolveWindow(WindowPhase phase, const std::string& padding,
                     Window* window);

// The positions of the batch, the channels and the `spatial` (2 or 3)
// dimensions of a tensor.
struct ImageLayout {
  bool channels_first = false;
  int spatial = 2;

  int rank() const { return spatial + 2; }
  int channel_dim() const { return channels_first ? 1 : spatial + 1; }
  int spatial_dim(int i) const { return channels_first ? i + 2 : i + 1; }
};

// Returns the layout of "NHWC", "NCHW", "NDHWC" or "NCDHW", or INVALID_ARGUMENT
// for others.
StatusOr<ImageLayout> LayoutOf(const std::string& data_format);

// Returns an attribute with a number for each dimension, or `otherwise`.
StatusOr<std::vector<int64_t>> IntListOr(const AttrMap& attrs,
                                         absl::string_view name,
                                         std::vector<int64_t> otherwise);

// The attributes `strides`, `dilations`, `explicit_paddings`, `padding` and
// `data_format`; those that the op lacks have the schema's usual default.
struct SlidingAttrs {
  ImageLayout layout;
  std::string padding;
  std::vector<int64_t> strides, dilations, explicit_paddings;

  // Reads the attributes; `spatial` is the number of spatial dimensions.
  // Returns INVALID_ARGUMENT for lists of a wrong length, numbers below 1 and
  // paddings that do not fit `padding`; UNIMPLEMENTED for strides of batch and
  // channels.
  static StatusOr<SlidingAttrs> Read(const AttrMap& attrs, int spatial);

  // Returns the window along spatial dimension i.
  StatusOr<Window> MakeWindow(WindowPhase phase, int i, int64_t input,
                              int64_t filter) const;
};

// Returns a shape with batch, channels and spatial sizes in the order of
// `layout`.
PartialShape ImageShape(const ImageLayout& layout, int64_t batch,
                        int64_t channels, absl::Span<const int64_t> spatial);

}  // namespace millrace::ops
