#include "millrace/ops/pooling/pool.h"

#include <algorithm>
#include <limits>

namespace millrace::ops {

PoolWords PoolWords::Of(absl::string_view op) {
  PoolWords words;
  for (const char* one :
       {"AvgPoolGrad", "MaxPoolGrad", "MaxPoolGradGrad", "MaxPool3DGradGrad",
        "MaxPoolGradV2", "MaxPoolGradGradV2", "_MaxPoolGradByOffsets",
        "QuantizedAvgPool"}) {
    if (op == one) words.strides = "strides";
  }
  for (const char* one : {"AvgPool", "MaxPool", "MaxPoolV2",
                          "MaxPoolGradWithArgmax", "_MaxPoolWithOffsets"}) {
    if (op == one) words.counts_space = true;
  }
  if (op == "AvgPool3D" || op == "MaxPool3D") {
    words.no_window =
        "Sliding window ksize field must have non-negative dimensions";
  } else if (op == "AvgPool3DGrad") {
    words.no_window = "ksize must be positive, got: ";
    words.tells_window = true;
  } else if (op == "MaxPoolWithArgmax") {
    words.no_window = "ksize must be a positive int32 value, got:";
    words.tells_window = true;
  } else if (op == "QuantizedMaxPool" ||
             (words.counts_space && op != "AvgPool")) {
    words.no_window = "Sliding window ksize must be > 0";
  }
  return words;
}

StatusOr<PoolAttrs> PoolAttrs::Make(const KernelInit& init) {
  PoolAttrs a;
  a.words_ = PoolWords::Of(init.node().op->name);
  const AttrMap& attrs = init.node().attrs;
  if (init.HasAttr("data_format")) {
    MR_ASSIGN_OR_RETURN(const auto format,
                        init.Attr<std::string>("data_format"));
    if (format == "NCHW_VECT_C") {
      return InvalidArgument("Data format ", format,
                             " is not supported on CPU devices");
    }
    MR_ASSIGN_OR_RETURN(a.layout_, LayoutOf(format));
  }
  MR_ASSIGN_OR_RETURN(a.padding_, init.Attr<std::string>("padding"));
  MR_ASSIGN_OR_RETURN(a.ksize_, Int32ListOr(attrs, "ksize", {}));
  MR_ASSIGN_OR_RETURN(a.strides_, Int32ListOr(attrs, "strides", {}));
  MR_ASSIGN_OR_RETURN(a.explicit_paddings_,
                      IntListOr(attrs, "explicit_paddings", {}));
  return a;
}

StatusOr<PoolAttrs> PoolAttrs::WithInputs(const PoolAttrs& base,
                                          const Tensor& ksize,
                                          const Tensor& strides) {
  PoolAttrs a = base;
  // As in stock, their shape does not matter.
  a.ksize_ = IntValues(ksize);
  a.strides_ = IntValues(strides);
  return a;
}

Status PoolAttrs::CheckLists() const {
  const int rank = layout_.rank();
  if (static_cast<int>(ksize_.size()) != rank) {
    return InvalidArgument("Sliding window ksize field must specify ", rank,
                           " dimensions");
  }
  if (static_cast<int>(strides_.size()) != rank) {
    return InvalidArgument("Sliding window ", words_.strides,
                           " field must specify ", rank, " dimensions");
  }
  for (const int64_t n : ksize_) {
    if (n > 0 || words_.no_window == nullptr) continue;
    return words_.tells_window ? InvalidArgument(words_.no_window, n)
                               : InvalidArgument(words_.no_window);
  }
  if (ksize_[0] != 1 || strides_[0] != 1) {
    return Unimplemented(
        "Pooling is not yet supported on the batch dimension.");
  }
  for (const int64_t n : ksize_) {
    if (n <= 0) return InvalidArgument("Sliding window ksize must be > 0");
  }
  for (const int64_t n : strides_) {
    if (n <= 0) return InvalidArgument("Sliding window stride must be > 0");
  }
  return OkStatus();
}

Status PoolAttrs::CheckRank(const TensorShape& input) const {
  const int rank = layout_.rank();
  if (input.rank() == rank) return OkStatus();
  if (words_.counts_space) {
    return InvalidArgument("tensor_in_shape must have 2 spatial dimensions. ",
                           input.rank(), layout_.channels_first ? " 1" : " 0");
  }
  return InvalidArgument("tensor_in must be ", rank, "-dimensional");
}

StatusOr<PoolProblem> PoolAttrs::Resolve(const TensorShape& input,
                                         PoolOver over) const {
  const int rank = layout_.rank();
  MR_RETURN_IF_ERROR(CheckLists());
  MR_RETURN_IF_ERROR(CheckRank(input));
  const int channel = layout_.channel_dim();
  PoolProblem p;
  if (OverChannels()) {
    for (int i = 0; i < layout_.spatial; ++i) {
      const int d = layout_.spatial_dim(i);
      if (over == PoolOver::kSpace || ksize_[d] != 1 || strides_[d] != 1) {
        return Unimplemented(
            "MaxPooling supports exactly one of pooling across depth or "
            "pooling across width/height.");
      }
    }
    if (input.dim(channel) % ksize_[channel] != 0) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to evenly divide "
          "the input depth");
    }
    if (ksize_[channel] != strides_[channel]) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to equal the depth "
          "stride");
    }
    Window& w = p.window[kMaxSpatial - 1];
    w.input = input.dim(channel);
    w.filter = w.stride = ksize_[channel];
    MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kRun, "VALID", &w));
    p.channels =
        layout_.channels_first ? input.NumElements(channel + 1, rank) : 1;
    p.images = input.NumElements(0, channel);
    return p;
  }
  if (strides_[channel] != 1) {
    return Unimplemented(
        "Pooling is not yet supported on the batch or channel dimension.");
  }
  if (padding_ == "EXPLICIT" &&
      static_cast<int>(explicit_paddings_.size()) != 2 * rank) {
    return InvalidArgument("explicit_paddings attribute must contain ",
                           2 * rank,
                           " values, but got: ", explicit_paddings_.size());
  }
  for (int i = 0; i < layout_.spatial; ++i) {
    const int d = layout_.spatial_dim(i);
    Window& w = p.window[kMaxSpatial - layout_.spatial + i];
    w.input = input.dim(d);
    w.filter = ksize_[d];
    w.stride = strides_[d];
    if (padding_ == "EXPLICIT") {
      w.before = explicit_paddings_[2 * d];
      w.after = explicit_paddings_[2 * d + 1];
      // A window entirely within the padding would have no element.
      if (w.before < 0 || w.after < 0 || w.before >= w.filter ||
          w.after >= w.filter) {
        return InvalidArgument("Padding must be smaller than the window: ",
                               std::max(w.before, w.after), " vs ", w.filter);
      }
    }
    MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kRun, padding_, &w));
  }
  p.images = input.dim(0);
  p.channels = input.dim(channel);
  if (layout_.channels_first) {
    p.images *= p.channels;
    p.channels = 1;
  }
  // Padding can make the size of the output overflow.
  const int64_t sizes[] = {input.dim(0), input.dim(channel), p.window[0].output,
                           p.window[1].output, p.window[2].output};
  if (!TensorShape::Make(sizes).ok()) {
    return InvalidArgument("The output has too many elements");
  }
  return p;
}

TensorShape PoolAttrs::OutputShape(const PoolProblem& p,
                                   const TensorShape& input) const {
  DimVector dims = input.dims();
  if (OverChannels()) {
    dims[static_cast<size_t>(layout_.channel_dim())] =
        p.window[kMaxSpatial - 1].output;
  } else {
    for (int i = 0; i < layout_.spatial; ++i) {
      dims[static_cast<size_t>(layout_.spatial_dim(i))] =
          p.window[kMaxSpatial - layout_.spatial + i].output;
    }
  }
  return TensorShape(dims);
}

absl::Span<const int64_t> WindowPlaces::Of(
    const Covered (&covered)[kMaxSpatial]) {
  bool same = true;
  for (int i = 0; i < kMaxSpatial; ++i) {
    same &= sizes_[i] == covered[i].size();
    sizes_[i] = covered[i].size();
  }
  if (same) return places_;
  places_.clear();
  const Window* const w = p_.window;
  for (int64_t d = 0; d < sizes_[0]; ++d) {
    for (int64_t h = 0; h < sizes_[1]; ++h) {
      const int64_t row = (d * w[1].input + h) * w[2].input;
      for (int64_t i = 0; i < sizes_[2]; ++i) {
        places_.push_back((row + i) * p_.channels);
      }
    }
  }
  return places_;
}

Status CheckOffsets(const PoolProblem& p) {
  const int64_t most = p.WindowPixels();
  if (most <= std::numeric_limits<int32_t>::max()) return OkStatus();
  return Unimplemented("Pooling over a window of ", most,
                       " elements, more than 2^31 - 1");
}

Status ExpectRank(const char* name, const Tensor& tensor, int rank) {
  if (tensor.rank() == rank) return OkStatus();
  return InvalidArgument(name, " must be ", rank, "-dimensional");
}

Status ExpectShape(absl::string_view what, const Tensor& tensor,
                   const TensorShape& expected) {
  if (tensor.shape() == expected) return OkStatus();
  return InvalidArgument("Expected ", what, " shape to be ",
                         expected.DebugString(), ", but got ",
                         tensor.shape().DebugString());
}

}  // namespace millrace::ops
