// QuantizedResizeBilinear: interpolation in whole numbers, of 7 bits between
// two pixels for quint8 and of 30 for qint32; in float for float.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The two pixels of the original between which a new one lies, and how far it
// is from the first.
struct Between {
  int64_t first, second;
  float part;
};

// An axis from `in` to `out` pixels, in memory that counts.
StatusOr<Tensor> MakeAxis(KernelContext& ctx, int64_t in, int64_t out,
                          bool align_corners, bool half_pixels) {
  MR_ASSIGN(const int64_t bytes,
            (CheckedSize(out) * int64_t{sizeof(Between)}).Get("an axis"));
  MR_ASSIGN(Tensor axis,
            ctx.AllocateTemp(DataType::kUint8, TensorShape({bytes})));
  const float scale =
      align_corners && out > 1
          ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
          : static_cast<float>(in) / static_cast<float>(out);
  auto* to = reinterpret_cast<Between*>(axis.mutable_data());
  for (int64_t i = 0; i < out; ++i) {
    const auto x = static_cast<float>(i);
    const float at = half_pixels ? (x + 0.5f) * scale - 0.5f : x * scale;
    const float low = std::floor(at);
    Between b;
    b.second = std::min(static_cast<int64_t>(std::ceil(at)), in - 1);
    b.first =
        std::min(std::max<int64_t>(0, static_cast<int64_t>(low)), b.second);
    b.part = at - low;
    to[i] = b;
  }
  return axis;
}

// Numbers between pixels in whole numbers: `Calc` holds a pixel times 2^kBits.
template <class T>
struct Lerp;
template <>
struct Lerp<Quint8> {
  using Pixel = uint8_t;
  using Part = int16_t;
  // In stock's 16 bits, which the products just fit.
  using Calc = int32_t;
  static constexpr int kBits = 7;
};
template <>
struct Lerp<Qint32> {
  using Pixel = int32_t;
  using Part = int32_t;
  using Calc = int64_t;
  static constexpr int kBits = 30;
};

template <class T>
struct WholePixels {
  using L = Lerp<T>;
  using Pixel = typename L::Pixel;
  using Part = typename L::Part;
  using Calc = typename L::Calc;

  static Part PartOf(float part) {
    return static_cast<Part>(part * static_cast<float>(1 << L::kBits));
  }
  // Stock's pixels become whole numbers by way of float, which keeps 24 bits.
  static Calc Of(Pixel p) { return static_cast<Calc>(static_cast<float>(p)); }
  static Pixel Do(Pixel top_left, Pixel top_right, Pixel bottom_left,
                  Pixel bottom_right, Part x, Part y) {
    constexpr Calc kOne = Calc{1} << L::kBits;
    const Calc a = Of(top_left), b = Of(top_right);
    const Calc c = Of(bottom_left), d = Of(bottom_right);
    const Calc top = a * kOne + (b - a) * x;
    const Calc bottom = c * kOne + (d - c) * x;
    const Calc out = top + (bottom - top) / kOne * y;
    return static_cast<Pixel>((out + kOne / 2) / kOne);
  }
};
struct RealPixels {
  using Pixel = float;
  using Part = float;
  static Part PartOf(float part) { return part; }
  static Pixel Do(Pixel a, Pixel b, Pixel c, Pixel d, Part x, Part y) {
    const float top = a + (b - a) * x;
    const float bottom = c + (d - c) * x;
    return top + (bottom - top) * y;
  }
};

template <class M>
Status Interpolate(KernelContext& ctx, const Between* ys, const Between* xs,
                   const Tensor& images, Tensor* out) {
  using Pixel = typename M::Pixel;
  const auto* in = reinterpret_cast<const Pixel*>(images.data());
  auto* z = reinterpret_cast<Pixel*>(out->mutable_data());
  const int64_t n = images.dim(3), in_row = images.dim(2) * n;
  const int64_t height = out->dim(1), width = out->dim(2);
  return ctx.ParallelFor(
      images.dim(0) * height, width * n * 3 + 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const Between& y = ys[row % height];
          const Pixel* image = in + row / height * images.dim(1) * in_row;
          const Pixel* top = image + y.first * in_row;
          const Pixel* bottom = image + y.second * in_row;
          const auto part_y = M::PartOf(y.part);
          Pixel* to = z + row * width * n;
          for (int64_t i = 0; i < width; ++i) {
            const Between& x = xs[i];
            const auto part_x = M::PartOf(x.part);
            for (int64_t c = 0; c < n; ++c) {
              const int64_t left = x.first * n + c, right = x.second * n + c;
              *to++ = M::Do(top[left], top[right], bottom[left], bottom[right],
                            part_x, part_y);
            }
          }
        }
      });
}

// [batch, height, width, channels] with the sizes of input 1.
StatusOr<TensorShape> NewShape(const Tensor& images, const Tensor& size) {
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional",
                           images.shape().DebugString());
  }
  if (size.rank() != 1) {
    return InvalidArgument("shape_t must be 1-dimensional",
                           size.shape().DebugString());
  }
  if (size.num_elements() != 2) {
    return InvalidArgument("shape_t must have two elements",
                           size.shape().DebugString());
  }
  const std::vector<int64_t> sizes = IntValues(size);
  if (sizes[0] <= 0 || sizes[1] <= 0) {
    return InvalidArgument("output dimensions must be positive");
  }
  if (images.dim(1) <= 0 || images.dim(2) <= 0) {
    return InvalidArgument("input image must be of non-zero size");
  }
  const int64_t dims[] = {images.dim(0), sizes[0], sizes[1], images.dim(3)};
  return TensorShape::Make(dims);
}

class QuantizedResize {
 public:
  static StatusOr<QuantizedResize> Make(const KernelInit& init) {
    QuantizedResize k;
    MR_ASSIGN(k.align_corners_, init.Attr<bool>("align_corners"));
    MR_ASSIGN(k.half_pixels_, init.Attr<bool>("half_pixel_centers"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& images = ctx.input(0);
    for (const int i : {2, 3}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 2 ? "min" : "max", " must be a scalar");
      }
    }
    const Range range{ctx.input(2).scalar<float>(),
                      ctx.input(3).scalar<float>()};
    MR_ASSIGN(const TensorShape shape, NewShape(images, ctx.input(1)));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(SetRange(ctx, 1, range));
    if (out->num_elements() == 0) return OkStatus();
    if (shape == images.shape()) {
      std::memcpy(out->mutable_data(), images.data(), images.size_bytes());
      return OkStatus();
    }
    MR_ASSIGN(const Tensor axis_y, MakeAxis(ctx, images.dim(1), shape.dim(1),
                                            align_corners_, half_pixels_));
    MR_ASSIGN(const Tensor axis_x, MakeAxis(ctx, images.dim(2), shape.dim(2),
                                            align_corners_, half_pixels_));
    const auto* ys = reinterpret_cast<const Between*>(axis_y.data());
    const auto* xs = reinterpret_cast<const Between*>(axis_x.data());
    switch (images.dtype()) {
      case DataType::kQuint8:
        return Interpolate<WholePixels<Quint8>>(ctx, ys, xs, images, out);
      case DataType::kQint32:
        return Interpolate<WholePixels<Qint32>>(ctx, ys, xs, images, out);
      default:
        return Interpolate<RealPixels>(ctx, ys, xs, images, out);
    }
  }

 private:
  bool align_corners_ = false, half_pixels_ = false;
};

}  // namespace

MR_KERNELS(QuantizedResizeBilinear, Cpu){{.types = "T: quint8, qint32, float",
                                          .make = MakeKernel<QuantizedResize>,
                                          .host = "size"}};

}  // namespace millrace::ops
