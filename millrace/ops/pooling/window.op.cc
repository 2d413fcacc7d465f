#include "millrace/ops/pooling/window.op.h"

#include <algorithm>
#include <limits>

namespace millrace::ops {

constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

Status ResolveWindow(WindowPhase phase, const std::string& padding, Window* w) {
  if (w->stride <= 0) {
    return InvalidArgument("Stride must be > 0, but got ", w->stride);
  }
  if (w->dilation < 1) {
    return InvalidArgument("Dilation rate must be >= 1, but got ", w->dilation);
  }
  // Limits the numbers so that nothing below overflows.
  for (const int64_t n :
       {w->filter, w->stride, w->dilation, w->before, w->after}) {
    if (n > kLargest) {
      return InvalidArgument("Sliding window numbers must be at most ",
                             kLargest, ", but got ", n);
    }
  }
  w->output = kUnknownDim;
  if (w->input == kUnknownDim) return OkStatus();
  if (padding == "SAME") {
    w->output = (w->input + w->stride - 1) / w->stride;
    if (w->filter == kUnknownDim) return OkStatus();
    const int64_t total = std::max<int64_t>(
        0, (w->output - 1) * w->stride + w->span() - w->input);
    w->before = total / 2;
    w->after = total - w->before;
    return OkStatus();
  }
  if (w->filter == kUnknownDim) return OkStatus();
  if (padding == "VALID") w->before = w->after = 0;
  const int64_t padded = w->input + w->before + w->after;
  if (phase == WindowPhase::kBuild && padded < w->span()) {
    return InvalidArgument("Negative dimension size caused by subtracting ",
                           w->span(), " from ", padded);
  }
  const int64_t output = (padded - w->span() + w->stride) / w->stride;
  if (output < 0) {
    return InvalidArgument("Computed output size would be negative: ", output,
                           " [input_size: ", w->input,
                           ", effective_filter_size: ", w->span(),
                           ", stride: ", w->stride, "]");
  }
  w->output = output;
  return OkStatus();
}

StatusOr<ImageLayout> LayoutOf(const std::string& format) {
  if (format == "NHWC")
    return ImageLayout{.channels_first = false, .spatial = 2};
  if (format == "NCHW")
    return ImageLayout{.channels_first = true, .spatial = 2};
  if (format == "NDHWC")
    return ImageLayout{.channels_first = false, .spatial = 3};
  if (format == "NCDHW")
    return ImageLayout{.channels_first = true, .spatial = 3};
  return InvalidArgument("Invalid data format: ", format);
}

StatusOr<std::vector<int64_t>> IntListOr(const AttrMap& attrs,
                                         absl::string_view name,
                                         std::vector<int64_t> otherwise) {
  if (!attrs.Find(name)) return otherwise;
  return GetAttr<std::vector<int64_t>>(attrs, name);
}

StatusOr<SlidingAttrs> SlidingAttrs::Read(const AttrMap& attrs, int spatial) {
  SlidingAttrs a;
  a.layout.spatial = spatial;
  if (attrs.Find("data_format")) {
    MR_ASSIGN_OR_RETURN(const auto format,
                        GetAttr<std::string>(attrs, "data_format"));
    MR_ASSIGN_OR_RETURN(a.layout, LayoutOf(format));
    if (a.layout.spatial != spatial) {
      return InvalidArgument("Invalid data format: ", format);
    }
  }
  const int rank = a.layout.rank();
  MR_ASSIGN_OR_RETURN(a.padding, GetAttr<std::string>(attrs, "padding"));
  MR_ASSIGN_OR_RETURN(a.strides, IntListOr(attrs, "strides", {}));
  MR_ASSIGN_OR_RETURN(a.dilations, IntListOr(attrs, "dilations", {}));
  MR_ASSIGN_OR_RETURN(a.explicit_paddings,
                      IntListOr(attrs, "explicit_paddings", {}));
  if (a.dilations.empty()) a.dilations.assign(static_cast<size_t>(rank), 1);
  const auto check = [&](const std::vector<int64_t>& list,
                         const char* what) -> Status {
    if (static_cast<int>(list.size()) != rank) {
      return InvalidArgument("Sliding window ", what, " field must specify ",
                             rank, " dimensions");
    }
    if (list[0] != 1 || list[a.layout.channel_dim()] != 1) {
      return Unimplemented("Current implementation does not yet support ", what,
                           " in the batch and depth dimensions.");
    }
    for (const int64_t n : list) {
      if (n <= 0) {
        return InvalidArgument("Sliding window ", what, " should be > 0.");
      }
    }
    return OkStatus();
  };
  MR_RETURN_IF_ERROR(check(a.strides, "strides"));
  MR_RETURN_IF_ERROR(check(a.dilations, "dilations"));
  if (a.padding != "EXPLICIT") {
    if (!a.explicit_paddings.empty()) {
      return InvalidArgument(
          "explicit_paddings attribute must be empty if the padding attribute "
          "is not EXPLICIT");
    }
    return a;
  }
  if (static_cast<int>(a.explicit_paddings.size()) != 2 * rank) {
    return InvalidArgument("explicit_paddings attribute must contain ",
                           2 * rank,
                           " values, but got: ", a.explicit_paddings.size());
  }
  for (int i = 0; i < 2 * rank; ++i) {
    if (a.explicit_paddings[i] < 0) {
      return InvalidArgument(
          "All elements of explicit_paddings must be nonnegative");
    }
    const int dim = i / 2;
    if ((dim == 0 || dim == a.layout.channel_dim()) &&
        a.explicit_paddings[i] != 0) {
      return InvalidArgument(
          "Nonzero explicit padding in the batch or depth dimensions is not "
          "supported");
    }
  }
  return a;
}

StatusOr<Window> SlidingAttrs::MakeWindow(WindowPhase phase, int i,
                                          int64_t input, int64_t filter) const {
  const auto dim = static_cast<size_t>(layout.spatial_dim(i));
  Window w;
  w.input = input;
  w.filter = filter;
  w.stride = strides[dim];
  w.dilation = dilations[dim];
  if (padding == "EXPLICIT") {
    w.before = explicit_paddings[2 * dim];
    w.after = explicit_paddings[2 * dim + 1];
  }
  MR_RETURN_IF_ERROR(ResolveWindow(phase, padding, &w));
  return w;
}

PartialShape ImageShape(const ImageLayout& layout, int64_t batch,
                        int64_t channels, absl::Span<const int64_t> spatial) {
  PartialShape shape = PartialShape::UnknownOfRank(layout.rank());
  shape.set_dim(0, batch);
  shape.set_dim(layout.channel_dim(), channels);
  for (int i = 0; i < layout.spatial; ++i) {
    shape.set_dim(layout.spatial_dim(i), spatial[i]);
  }
  return shape;
}

}  // namespace millrace::ops
