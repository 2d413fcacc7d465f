#include "millrace/ops/pooling/dilation.op.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

Status ResolveDilation(const std::string& padding, int64_t input,
                       int64_t filter, int64_t stride, int64_t rate,
                       DilationDim* d) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (stride <= 0) {
    return InvalidArgument("Stride must be > 0, but got ", stride);
  }
  // Limits the numbers so that nothing below overflows.
  for (const int64_t n : {input, filter, stride, rate}) {
    if (n > kMost || n < -kMost) {
      return InvalidArgument("Sliding window numbers must be at most ", kMost,
                             ", but got ", n);
    }
  }
  *d = {input, filter, stride, rate, 0, 0};
  const int64_t span = filter + (filter - 1) * (rate - 1);
  if (padding == "SAME") {
    d->output = (input + stride - 1) / stride;
    d->before =
        std::max<int64_t>(0, (d->output - 1) * stride + span - input) / 2;
  } else {
    d->output = (input - span + stride) / stride;
  }
  if (d->output < 0) {
    return InvalidArgument(
        "Computed output size would be negative: ", d->output,
        " [input_size: ", input, ", effective_filter_size: ", span,
        ", stride: ", stride, "]");
  }
  return OkStatus();
}

namespace {

// Returns an attribute of four numbers, which stock reads as int32; `what` is
// for the message.
StatusOr<std::vector<int64_t>> FourOf(ShapeContext& c, const char* name,
                                      const char* what) {
  MR_ASSIGN_OR_RETURN(auto list, c.Attr<std::vector<int64_t>>(name));
  for (const int64_t n : list) {
    if (n > std::numeric_limits<int32_t>::max() ||
        n < std::numeric_limits<int32_t>::min()) {
      return InvalidArgument("Attr ", name, " has value ", n,
                             " out of range for an int32");
    }
  }
  if (list.size() != 4) {
    return InvalidArgument(
        "Dilation2D requires the ", what,
        " attribute to contain 4 values, but got: ", list.size());
  }
  return list;
}

Status DilationShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 3));
  MR_ASSIGN_OR_RETURN(const auto strides, FourOf(c, "strides", "stride"));
  MR_ASSIGN_OR_RETURN(const auto rates, FourOf(c, "rates", "rates"));
  MR_ASSIGN_OR_RETURN(const auto padding, c.Attr<std::string>("padding"));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(input.dim(3), filter.dim(2)).status());
  PartialShape out({input.dim(0), kUnknownDim, kUnknownDim, filter.dim(2)});
  for (int i = 0; i < 2; ++i) {
    if (input.dim(i + 1) == kUnknownDim || filter.dim(i) == kUnknownDim) {
      out.set_dim(1, kUnknownDim);
      break;
    }
    DilationDim d;
    const auto at = static_cast<size_t>(i) + 1;
    MR_RETURN_IF_ERROR(ResolveDilation(padding, input.dim(i + 1), filter.dim(i),
                                       strides[at], rates[at], &d));
    out.set_dim(i + 1, d.output);
  }
  return c.Return(std::move(out));
}

template <int kInput>
Status ShapeOfInput(ShapeContext& c) {
  return c.Return(c.input(kInput));
}

}  // namespace

#define MR_DILATION                                                         \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, " \
  "half, uint32, uint64}; strides: list(int) >= 4; rates: list(int) >= 4; " \
  "padding: {'SAME', 'VALID'}"

MR_OP(Dilation2D){
    .inputs = "input: T, filter: T",
    .outputs = "output: T",
    .attrs = MR_DILATION,
    .shape = DilationShape,
    .doc =
        "The largest sum of a pixel and its element of the filter, [height, "
        "width, channels], in windows of images: a greyscale dilation. `rates` "
        "are the distances of a window's pixels.",
};
MR_OP(Dilation2DBackpropInput){
    .inputs = "input: T, filter: T, out_backprop: T",
    .outputs = "in_backprop: T",
    .attrs = MR_DILATION,
    .shape = ShapeOfInput<0>,
    .doc = "The gradient of Dilation2D with respect to its input.",
};
MR_OP(Dilation2DBackpropFilter){
    .inputs = "input: T, filter: T, out_backprop: T",
    .outputs = "filter_backprop: T",
    .attrs = MR_DILATION,
    .shape = ShapeOfInput<1>,
    .doc = "The gradient of Dilation2D with respect to its filter.",
};

}  // namespace millrace::ops
