#include <bit>

#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status SpectrogramShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape audio, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const int64_t window, c.Attr<int64_t>("window_size"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("window_size", window));
  if (window <= 1) {
    return InvalidArgument("window size must be > 1, got ", window);
  }
  MR_ASSIGN_OR_RETURN(const int64_t stride, c.Attr<int64_t>("stride"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("stride", stride));
  if (stride <= 0) {
    return InvalidArgument("stride must be strictly positive, got ", stride);
  }
  int64_t slices = ShapeContext::Dim(audio, 0);
  if (slices != kUnknownDim) {
    slices = slices < window ? 0 : 1 + (slices - window) / stride;
  }
  const auto padded = std::bit_ceil(static_cast<uint64_t>(window));
  return c.Return(PartialShape({ShapeContext::Dim(audio, 1), slices,
                                1 + static_cast<int64_t>(padded / 2)}));
}

}  // namespace

MR_OP(AudioSpectrogram){
    .inputs = "input: float",
    .outputs = "spectrogram: float",
    .attrs = "window_size: int; stride: int; magnitude_squared: bool = false",
    .shape = SpectrogramShape,
    .doc =
        "The magnitudes of the frequencies of audio [samples, channels], as "
        "[channels, windows, frequencies].",
};

}  // namespace millrace::ops
