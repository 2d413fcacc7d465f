#include "millrace/ops/summary/image_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/ops/image/files/png.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct Batch {
  int64_t size, height, width, depth;
  int64_t pixels() const { return height * width; }
};

// Converts one image's numbers to bytes.
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

}  // namespace

StatusOr<CountedText> SummarizeImages(KernelContext& ctx, const Tensor& images,
                                      const ImageRequest& request) {
  if (images.rank() != 4 ||
      (images.dim(3) != 1 && images.dim(3) != 3 && images.dim(3) != 4)) {
    return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ",
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
                           b.size, ", ", b.height, ", ", b.width, ", ", b.depth,
                           "].");
  }
  const bool scaled = images.dtype() != DataType::kUint8;
  if (scaled && static_cast<int64_t>(request.bad_color.size()) < b.depth) {
    return InvalidArgument(
        "expected depth <= bad_color.size, got depth = ", b.depth,
        ", bad_color.size = ", request.bad_color.size());
  }
  const int64_t size = b.pixels() * b.depth;
  CountedText summary(ctx);
  std::string value;
  MR_ASSIGN_OR_RETURN(
      Tensor scratch,
      ctx.AllocateTemp(DataType::kUint8, TensorShape({scaled ? size : 0})));
  uint8_t* const bytes = scratch.mutable_flat<uint8_t>().data();
  for (int64_t i = 0; i < std::min(request.most, b.size); ++i) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const uint8_t* pixels = bytes;
    if (scaled) {
      const Status normalized = Dispatch<float, double, Half>(
          images.dtype(), [&]<class T>() -> Status {
            Normalize(images.flat<T>().data() + i * size, b,
                      request.bad_color.data(), bytes);
            return OkStatus();
          });
      MR_RETURN_IF_ERROR(normalized);
    } else {
      pixels = images.flat<uint8_t>().data() + i * size;
    }
    MR_ASSIGN_OR_RETURN(
        const std::string png,
        WritePng(pixels, b.height, b.width, static_cast<int>(b.depth),
                 /*bits=*/8, /*compression=*/-1,
                 [&] { return ctx.CheckCancelled(); }));
    if (summary.view().size() + png.size() > kMaxSummaryBytes) {
      return InvalidArgument("tensor too large for summary ",
                             images.shape().DebugString());
    }
    value.clear();
    AppendImage(NumberedTag(request.tag, "image", request.most, i), b.height,
                b.width, b.depth, png, &value);
    MR_RETURN_IF_ERROR(summary.Append(value));
  }
  return summary;
}

}  // namespace millrace::ops
