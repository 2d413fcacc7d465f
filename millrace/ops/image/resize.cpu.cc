#include <cstring>
#include <type_traits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/image/resize_plane.h"
#include "millrace/ops/image/rows/sum_taps.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<TensorShape> OriginalShape(const Tensor& grad,
                                    const Tensor& original) {
  MR_RETURN_IF_ERROR(CheckImages(grad, "input_grad"));
  MR_RETURN_IF_ERROR(CheckImages(original, "original_image"));
  for (const int d : {1, 2}) {
    if (original.dim(d) <= 0 || grad.dim(d) <= 0) {
      return InvalidArgument(
          "original_image and grads must be of non-zero size");
    }
  }
  return TensorShape::Make(
      {grad.dim(0), original.dim(1), original.dim(2), grad.dim(3)});
}

StatusOr<TensorShape> UnresizedShape(const Tensor& grad, const Tensor& size) {
  if (size.rank() == 1 && size.num_elements() == 2) {
    for (const int64_t n : IntValues(size)) {
      if (n <= 0) {
        return InvalidArgument("shape_t's elements must be positive");
      }
    }
  }
  return ResizedShape(grad, size);
}

namespace {

// The transpose of SumTaps for one image: calls add(sum, gradient, weight)
// with each pixel of `grad` and each pixel of the original, in `sums`, that it
// takes.
template <class G, class S, class Add>
void SpreadImage(const Plane& p, const G* grad, S* sums, Add add) {
  const int64_t width = p.x.size(), height = p.y.size(), n = p.channels;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t i = p.y.first[y]; i < p.y.first[y + 1]; ++i) {
      const Tap& ty = p.y.taps[i];
      for (int64_t x = 0; x < width; ++x) {
        const G* from = grad + (y * width + x) * n;
        for (int64_t j = p.x.first[x]; j < p.x.first[x + 1]; ++j) {
          const Tap& tx = p.x.taps[j];
          const float weight = ty.weight * tx.weight;
          S* to = sums + (ty.place * p.places_of_taps_x + tx.place) * n;
          for (int64_t c = 0; c < n; ++c) add(to[c], from[c], weight);
        }
      }
    }
  }
}

// Copies the pixels of a row that the axis takes, each of kBytes, or of `bytes`
// if that is 0.
template <size_t kBytes>
void MovePixelsOf(const char* from, const Axis& x, size_t bytes, char* to) {
  const size_t n = kBytes == 0 ? bytes : kBytes;
  const Tap* const taps = x.taps.data();
  const auto width = static_cast<size_t>(x.size());
  for (size_t i = 0; i < width; ++i) {
    std::memcpy(to + i * n, from + static_cast<size_t>(taps[i].place) * n, n);
  }
}
void MovePixels(const char* from, const Axis& x, int64_t bytes, char* to) {
  const auto n = static_cast<size_t>(bytes);
  switch (bytes) {
    case 1:
      return MovePixelsOf<1>(from, x, n, to);
    case 3:
      return MovePixelsOf<3>(from, x, n, to);
    case 4:
      return MovePixelsOf<4>(from, x, n, to);
    case 12:
      return MovePixelsOf<12>(from, x, n, to);
    case 16:
      return MovePixelsOf<16>(from, x, n, to);
    default:
      return MovePixelsOf<0>(from, x, n, to);
  }
}

template <ResizeMethod kMethod>
class ResizeKernel {
 public:
  static StatusOr<ResizeKernel> Make(const KernelInit& init) {
    ResizeKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, ReadResizeOptions(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape, ResizedShape(x, ctx.input(1)));
    MR_RETURN_IF_ERROR(ExpectChannels(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const Plane p = MakePlane(kMethod, options_, x.shape(), shape);
    if constexpr (kMethod == ResizeMethod::kNearest) {
      return Move(ctx, p, x, out);
    } else {
      return SumTaps(ctx, x, p.y, p.x, out);
    }
  }

 private:
  static Status Move(KernelContext& ctx, const Plane& p, const Tensor& x,
                     Tensor* out) {
    const char* from = x.data();
    char* to = out->mutable_data();
    const int64_t height = out->dim(1), width = out->dim(2);
    const auto bytes = p.channels * static_cast<int64_t>(SizeOf(x.dtype()));
    return ctx.ParallelFor(
        out->dim(0) * height, width * (1 + bytes / 16) + 20,
        [&](int64_t begin, int64_t end) {
          int64_t last = -1;  // source
          for (int64_t row = begin; row < end; ++row) {
            const int64_t source = row / height * p.places_of_taps_y +
                                   p.y.taps[row % height].place;
            char* const z = to + row * width * bytes;
            if (source == last) {
              std::memcpy(z, z - width * bytes,
                          static_cast<size_t>(width * bytes));
            } else {
              MovePixels(from + source * p.places_of_taps_x * bytes, p.x, bytes,
                         z);
            }
            last = source;
          }
        });
  }

  ResizeOptions options_;
};

// Distributes gradients over the original. Those of a bilinear or bicubic
// result are float, and are added up in the type that the kernel computes in;
// those of the nearest pixels have the original's type, and so has each sum.
template <ResizeMethod kMethod>
class ResizeGradKernel {
 public:
  static StatusOr<ResizeGradKernel> Make(const KernelInit& init) {
    ResizeGradKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, ReadResizeOptions(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        kOfNearest ? UnresizedShape(grad, ctx.input(1))
                                   : OriginalShape(grad, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const Plane p = MakePlane(kMethod, options_, shape, grad.shape());
    // Sums of few bits are rounded after each of the nearest pixels.
    if (kOfNearest ? out->dtype() == DataType::kFloat
                   : out->dtype() != DataType::kDouble) {
      return SumTaps(ctx, grad, Transposed(p.y, shape.dim(1)),
                     Transposed(p.x, shape.dim(2)), out);
    }
    return Dispatch(Types{}, out->dtype(), [&]<class T>() -> Status {
      using G = std::conditional_t<kOfNearest, T, float>;
      const G* dy = grad.flat<G>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t dy_size = grad.num_elements() / shape.dim(0);
      const int64_t z_size = out->num_elements() / shape.dim(0);
      return ctx.ParallelFor(shape.dim(0), dy_size * (kOfNearest ? 2 : 8),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) {
                                 Spread(p, dy + i * dy_size, z + i * z_size,
                                        z_size);
                               }
                             });
    });
  }

 private:
  static constexpr bool kOfNearest = kMethod == ResizeMethod::kNearest;
  using Types = std::conditional_t<kOfNearest, RealTypes, FloatTypes>;

  template <class G, class T>
  static void Spread(const Plane& p, const G* dy, T* z, int64_t size) {
    using S = ComputeType<T>;
    if constexpr (kOfNearest) {
      std::fill(z, z + size, T(0));
      SpreadImage(p, dy, z, [](T& sum, T g, float) {
        sum = static_cast<T>(Plus<S>(static_cast<S>(sum), static_cast<S>(g)));
      });
    } else {
      CountedVector<S> sums(static_cast<size_t>(size));
      SpreadImage(p, dy, sums.data(), [](S& sum, float g, float weight) {
        sum += static_cast<S>(g * weight);
      });
      for (int64_t k = 0; k < size; ++k) z[k] = static_cast<T>(sums[k]);
    }
  }

  ResizeOptions options_;
};

}  // namespace

MR_KERNELS(ResizeBilinear,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<ResizeKernel<ResizeMethod::kBilinear>>,
                 .host = "size"}};
MR_KERNELS(ResizeNearestNeighbor,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<ResizeKernel<ResizeMethod::kNearest>>,
                 .host = "size"}};
MR_KERNELS(ResizeBicubic,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<ResizeKernel<ResizeMethod::kBicubic>>,
                 .host = "size"}};
MR_KERNELS(ResizeArea,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<ResizeKernel<ResizeMethod::kArea>>,
                 .host = "size"}};
MR_KERNELS(ResizeBilinearGrad, Cpu){
    {.types = "T: float, bfloat16, half, double",
     .make = MakeKernel<ResizeGradKernel<ResizeMethod::kBilinear>>}};
MR_KERNELS(ResizeBicubicGrad,
           Cpu){{.types = "T: float, double",
                 .make = MakeKernel<ResizeGradKernel<ResizeMethod::kBicubic>>}};
MR_KERNELS(ResizeNearestNeighborGrad,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<ResizeGradKernel<ResizeMethod::kNearest>>,
                 .host = "size"}};

}  // namespace millrace::ops
