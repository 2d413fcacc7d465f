// Kernel of QuantizedResizeBilinear: interpolates in integers, with 7 bits
// between two pixels for quint8 and 30 for qint32; in float for float.
#include <cstring>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/resize_plane.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The two pixels of the original between which a new one lies, and its distance
// from the first one.
struct Between {
  int64_t first, second;
  float part;
};

Between At(const Axis& axis, int64_t i) {
  const Tap* const taps = axis.taps.data() + 2 * i;
  return {taps[0].place, taps[1].place, taps[1].weight};
}

// Interpolates in integers: `Calc` holds a pixel times 2^kBits.
template <class T>
struct Lerp;
template <>
struct Lerp<Quint8> {
  using Pixel = uint8_t;
  using Part = int16_t;
  // The products just fit stock's 16 bits.
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
  // Stock converts pixels to integers through float, which keeps 24 bits.
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
Status Interpolate(KernelContext& ctx, const Plane& plane, const Tensor& images,
                   Tensor* out) {
  using Pixel = typename M::Pixel;
  const auto* in = reinterpret_cast<const Pixel*>(images.data());
  auto* z = reinterpret_cast<Pixel*>(out->mutable_data());
  const int64_t n = images.dim(3), in_row = images.dim(2) * n;
  const int64_t height = out->dim(1), width = out->dim(2);
  return ctx.ParallelFor(
      images.dim(0) * height, width * n * 3 + 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const Between y = At(plane.y, row % height);
          const Pixel* image = in + row / height * images.dim(1) * in_row;
          const Pixel* top = image + y.first * in_row;
          const Pixel* bottom = image + y.second * in_row;
          const auto part_y = M::PartOf(y.part);
          Pixel* to = z + row * width * n;
          for (int64_t i = 0; i < width; ++i) {
            const Between x = At(plane.x, i);
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

class QuantizedResize {
 public:
  static StatusOr<QuantizedResize> Make(const KernelInit& init) {
    QuantizedResize k;
    MR_ASSIGN_OR_RETURN(k.options_.align_corners,
                        init.Attr<bool>("align_corners"));
    MR_ASSIGN_OR_RETURN(k.options_.half_pixel_centers,
                        init.Attr<bool>("half_pixel_centers"));
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
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        ResizedShape(images, ctx.input(1)));
    MR_RETURN_IF_ERROR(ExpectChannels(images));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(SetRange(ctx, 1, range));
    if (out->num_elements() == 0) return OkStatus();
    if (shape == images.shape()) {
      std::memcpy(out->mutable_data(), images.data(), images.size_bytes());
      return OkStatus();
    }
    const Plane plane =
        MakePlane(ResizeMethod::kBilinear, options_, images.shape(), shape);
    switch (images.dtype()) {
      case DataType::kQuint8:
        return Interpolate<WholePixels<Quint8>>(ctx, plane, images, out);
      case DataType::kQint32:
        return Interpolate<WholePixels<Qint32>>(ctx, plane, images, out);
      default:
        return Interpolate<RealPixels>(ctx, plane, images, out);
    }
  }

 private:
  ResizeOptions options_;
};

}  // namespace

MR_KERNELS(QuantizedResizeBilinear, Cpu){{.types = "T: quint8, qint32, float",
                                          .make = MakeKernel<QuantizedResize>,
                                          .host = "size"}};

}  // namespace millrace::ops
