// Summaries of pictures, sounds and tensors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/base/clock.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/image/files/png.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/wav.h"
#include "millrace/tensor/dispatch.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {
namespace {

// A message holds less than 2 GiB.
constexpr size_t kMaxSummaryBytes = std::numeric_limits<int32_t>::max();

Status SetSummary(KernelContext& ctx, const std::string& summary) {
  if (summary.size() > kMaxSummaryBytes) {
    return InvalidArgument("a summary of ", summary.size(),
                           " bytes is too large");
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(summary));
  return OkStatus();
}

// "TAG/image/3", or without the number if there is at most one.
std::string TagOf(const Tensor& tag, const char* kind, int64_t most,
                  int64_t i) {
  const absl::string_view name = tag.scalar<StringElement>().view();
  return most > 1 ? absl::StrCat(name, "/", kind, "/", i)
                  : absl::StrCat(name, "/", kind);
}

struct Batch {
  int64_t size, height, width, depth;
  int64_t pixels() const { return height * width; }
};

// One picture's numbers as bytes.
template <class T>
void Normalize(const T* x, const Batch& b, const uint8_t* bad_color,
               uint8_t* out) {
  using S = ComputeType<T>;
  const auto is_finite = [&](const T* pixel) {
    return std::all_of(pixel, pixel + b.depth,
                       [](T v) { return std::isfinite(static_cast<S>(v)); });
  };
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -smallest;
  for (int64_t i = 0; i < b.pixels(); ++i) {
    const T* const pixel = x + i * b.depth;
    if (!is_finite(pixel)) continue;
    for (int64_t c = 0; c < b.depth; ++c) {
      const auto v = static_cast<float>(static_cast<S>(pixel[c]));
      smallest = std::min(smallest, v);
      largest = std::max(largest, v);
    }
  }
  constexpr float kZero = 1e-6f;
  const bool negative = smallest < 0;
  const float range =
      negative ? std::max(std::abs(smallest), largest) : largest;
  // Each step is rounded to T.
  const auto scale = static_cast<S>(static_cast<T>(
      range < kZero ? 0.0f : (negative ? 127.0f : 255.0f) / range));
  const S offset = negative ? S(128) : S(0);
  for (int64_t i = 0; i < b.pixels(); ++i) {
    const T* const pixel = x + i * b.depth;
    const bool finite = is_finite(pixel);
    for (int64_t c = 0; c < b.depth; ++c) {
      uint8_t& z = out[i * b.depth + c];
      z = bad_color[c];
      if (!finite) continue;
      const T product = static_cast<T>(static_cast<S>(pixel[c]) * scale);
      const auto v =
          static_cast<S>(static_cast<T>(static_cast<S>(product) + offset));
      z = v > 0 ? static_cast<uint8_t>(std::min<S>(v, 255)) : uint8_t{0};
    }
  }
}

class ImageSummaryKernel {
 public:
  static StatusOr<ImageSummaryKernel> Make(const KernelInit& init) {
    ImageSummaryKernel k;
    MR_ASSIGN(k.max_images_, init.Attr<int64_t>("max_images"));
    MR_ASSIGN(const Tensor color, init.Attr<Tensor>("bad_color"));
    if (color.dtype() != DataType::kUint8) {
      return InvalidArgument("bad_color must be uint8, got ",
                             DataTypeName(color.dtype()));
    }
    if (color.rank() != 1) {
      return InvalidArgument("bad_color must be a vector, got shape ",
                             color.shape().DebugString());
    }
    const auto bytes = color.flat<uint8_t>();
    k.bad_color_.assign(bytes.begin(), bytes.end());
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& tag = ctx.input(0);
    const Tensor& images = ctx.input(1);
    if (tag.rank() != 0) return InvalidArgument("Tags must be a scalar");
    if (images.rank() != 4 ||
        (images.dim(3) != 1 && images.dim(3) != 3 && images.dim(3) != 4)) {
      return InvalidArgument(
          "Tensor must be 4-D with last dim 1, 3, or 4, not ",
          images.shape().DebugString());
    }
    const Batch b{images.dim(0), images.dim(1), images.dim(2), images.dim(3)};
    constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
    if (b.size > kMaxInt32 || b.height > kMaxInt32 || b.width > kMaxInt32 ||
        b.pixels() >= (int64_t{1} << 29)) {
      return InvalidArgument("tensor too large for summary ",
                             images.shape().DebugString());
    }
    if (b.pixels() == 0) {
      return InvalidArgument("input tensor must have non-zero dims. Found: [",
                             b.size, ", ", b.height, ", ", b.width, ", ",
                             b.depth, "].");
    }
    const bool scaled = images.dtype() != DataType::kUint8;
    if (scaled && static_cast<int64_t>(bad_color_.size()) < b.depth) {
      return InvalidArgument("expected depth <= bad_color.size, got depth = ",
                             b.depth, ", bad_color.size = ", bad_color_.size());
    }
    const int64_t size = b.pixels() * b.depth;
    std::string summary;
    MR_ASSIGN(
        Tensor scratch,
        ctx.AllocateTemp(DataType::kUint8, TensorShape({scaled ? size : 0})));
    uint8_t* const bytes = scratch.mutable_flat<uint8_t>().data();
    for (int64_t i = 0; i < std::min(max_images_, b.size); ++i) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const uint8_t* pixels = bytes;
      if (scaled) {
        const Status normalized = Dispatch<float, double, Half>(
            images.dtype(), [&]<class T>() -> Status {
              Normalize(images.flat<T>().data() + i * size, b,
                        bad_color_.data(), bytes);
              return OkStatus();
            });
        MR_RETURN_IF_ERROR(normalized);
      } else {
        pixels = images.flat<uint8_t>().data() + i * size;
      }
      MR_ASSIGN(const std::string png,
                WritePng(pixels, b.height, b.width, static_cast<int>(b.depth),
                         /*bits=*/8, /*compression=*/-1,
                         [&] { return ctx.CheckCancelled(); }));
      if (summary.size() + png.size() > kMaxSummaryBytes) {
        return InvalidArgument("tensor too large for summary ",
                               images.shape().DebugString());
      }
      AppendImage(TagOf(tag, "image", max_images_, i), b.height, b.width,
                  b.depth, png, &summary);
    }
    return SetSummary(ctx, summary);
  }

 private:
  int64_t max_images_ = 3;
  std::vector<uint8_t> bad_color_;
};

class AudioSummaryKernel {
 public:
  static StatusOr<AudioSummaryKernel> Make(const KernelInit& init) {
    AudioSummaryKernel k;
    MR_ASSIGN(k.max_outputs_, init.Attr<int64_t>("max_outputs"));
    k.rate_is_input_ = init.num_inputs() == 3;
    if (!k.rate_is_input_) {
      MR_ASSIGN(k.rate_, init.Attr<float>("sample_rate"));
      if (!(k.rate_ > 0)) return InvalidArgument("sample_rate must be > 0");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& tag = ctx.input(0);
    const Tensor& clips = ctx.input(1);
    if (tag.rank() != 0) return InvalidArgument("Tag must be a scalar");
    if (clips.rank() < 2 || clips.rank() > 3) {
      return InvalidArgument("Tensor must be 3-D or 2-D, got: ",
                             clips.shape().DebugString());
    }
    float rate = rate_;
    if (rate_is_input_) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument(
            "sample_rate must be rank-0 or contain a single value");
      }
      rate = ctx.input(2).flat<float>()[0];
    }
    if (!(rate > 0)) return InvalidArgument("sample_rate must be > 0");
    const WavFormat format{.rate = rate,
                           .channels = clips.rank() == 2 ? 1 : clips.dim(2),
                           .frames = clips.dim(1)};
    const auto samples = clips.flat<float>();
    const int64_t size = format.channels * format.frames;
    std::string summary;
    for (int64_t i = 0; i < std::min(max_outputs_, clips.dim(0)); ++i) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_ASSIGN(const std::string wav,
                EncodeWav(format, samples.subspan(i * size, size)));
      if (summary.size() + wav.size() > kMaxSummaryBytes) {
        return InvalidArgument("tensor too large for summary ",
                               clips.shape().DebugString());
      }
      AppendAudio(TagOf(tag, "audio", max_outputs_, i), rate, format.channels,
                  format.frames, wav, &summary);
    }
    return SetSummary(ctx, summary);
  }

 private:
  int64_t max_outputs_ = 3;
  float rate_ = 0;
  bool rate_is_input_ = true;
};

StatusOr<std::string> TensorBytes(const Tensor& tensor) {
  MR_ASSIGN(const size_t size, EncodedTensorSize(tensor, StringForm::kValues));
  if (size > kMaxSummaryBytes) {
    return InvalidArgument("a tensor of ", size,
                           " bytes is too large for a summary");
  }
  MR_ASSIGN(const ByteChunks bytes, EncodeTensor(tensor));
  return bytes.Flatten();
}

Status RunTensorSummary(KernelContext& ctx) {
  MR_ASSIGN(const std::string tensor, TensorBytes(ctx.input(0)));
  std::string summary;
  AppendTensor({.node_name = ctx.node().name, .tensor = tensor}, &summary);
  return SetSummary(ctx, summary);
}

Status RunTensorSummaryV2(KernelContext& ctx) {
  const Tensor& tag = ctx.input(0);
  const Tensor& metadata = ctx.input(2);
  if (tag.rank() != 0) return InvalidArgument("tag must be scalar");
  if (metadata.rank() != 0) {
    return InvalidArgument("serialized_summary_metadata must be scalar");
  }
  const absl::string_view bytes = metadata.scalar<StringElement>().view();
  if (bytes.size() > kMaxSummaryBytes || !IsMessage(bytes)) {
    return InvalidArgument("serialized_summary_metadata is no message");
  }
  MR_ASSIGN(const std::string tensor, TensorBytes(ctx.input(1)));
  std::string summary;
  AppendTensor({.tag = tag.scalar<StringElement>().view(),
                .tensor = tensor,
                .metadata = &bytes},
               &summary);
  return SetSummary(ctx, summary);
}

Status RunTimestamp(KernelContext& ctx) {
  ctx.set_output(
      0, Tensor::Scalar<double>(static_cast<double>(WallMicros()) * 1e-6));
  return OkStatus();
}

}  // namespace

MR_KERNELS(ImageSummary, Cpu){{.make = MakeKernel<ImageSummaryKernel>}};
MR_KERNELS(AudioSummary, Cpu){{.make = MakeKernel<AudioSummaryKernel>}};
MR_KERNELS(AudioSummaryV2, Cpu){{.make = MakeKernel<AudioSummaryKernel>}};
MR_KERNELS(TensorSummary, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                                .make = MakeFunctionKernel<RunTensorSummary>}};
MR_KERNELS(TensorSummaryV2,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                 .make = MakeFunctionKernel<RunTensorSummaryV2>}};
MR_KERNELS(Timestamp,
           Cpu){{.make = MakeFunctionKernel<RunTimestamp>, .cheap = true}};

}  // namespace millrace::ops
