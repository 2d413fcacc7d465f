#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/image/resize_plane.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// out = weighted sums of `in`, in S, for rows [begin, end) of all images.
template <class T>
void ResizeRows(const Plane& p, const T* in, float* out, int64_t begin,
                int64_t end) {
  const int64_t width = p.x.size(), n = p.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / p.y.size(), y = row % p.y.size();
    float* to = out + row * width * n;
    std::fill(to, to + width * n, 0.0f);
    for (int64_t i = p.y.first[y]; i < p.y.first[y + 1]; ++i) {
      const Tap& ty = p.y.taps[i];
      const T* from =
          in + (image * p.places_of_taps_y + ty.place) * p.places_of_taps_x * n;
      for (int64_t x = 0; x < width; ++x) {
        for (int64_t j = p.x.first[x]; j < p.x.first[x + 1]; ++j) {
          const Tap& tx = p.x.taps[j];
          const float weight = ty.weight * tx.weight;
          // So that a weight of 0 keeps NaN and infinity out.
          if (weight == 0) continue;
          for (int64_t c = 0; c < n; ++c) {
            to[x * n + c] +=
                weight * static_cast<float>(from[tx.place * n + c]);
          }
        }
      }
    }
  }
}

// The transpose: images [begin, end) of the original from the resized.
template <class S>
void SpreadImages(const Plane& p, const float* grad, S* out, int64_t begin,
                  int64_t end) {
  const int64_t width = p.x.size(), height = p.y.size(), n = p.channels;
  const int64_t image_size = p.places_of_taps_y * p.places_of_taps_x * n;
  for (int64_t image = begin; image < end; ++image) {
    S* to = out + (image - begin) * image_size;
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t i = p.y.first[y]; i < p.y.first[y + 1]; ++i) {
        const Tap& ty = p.y.taps[i];
        for (int64_t x = 0; x < width; ++x) {
          const float* from = grad + ((image * height + y) * width + x) * n;
          for (int64_t j = p.x.first[x]; j < p.x.first[x + 1]; ++j) {
            const Tap& tx = p.x.taps[j];
            const float weight = ty.weight * tx.weight;
            S* at = to + (ty.place * p.places_of_taps_x + tx.place) * n;
            for (int64_t c = 0; c < n; ++c) {
              at[c] += static_cast<S>(from[c] * weight);
            }
          }
        }
      }
    }
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
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Plane p,
                        MakePlane(kMethod, options_, x.shape(), shape));
    if constexpr (kMethod == ResizeMethod::kNearest) {
      return Move(ctx, p, x, out);
    }
    const int64_t cost = shape.dim(2) * shape.dim(3) * 4;
    return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
      const T* in = x.flat<T>().data();
      float* z = out->mutable_flat<float>().data();
      return ctx.ParallelFor(shape.dim(0) * shape.dim(1), cost,
                             [&](int64_t begin, int64_t end) {
                               ResizeRows(p, in, z, begin, end);
                             });
    });
  }

 private:
  static Status Move(KernelContext& ctx, const Plane& p, const Tensor& x,
                     Tensor* out) {
    const char* from = x.data();
    char* to = out->mutable_data();
    const int64_t height = out->dim(1), width = out->dim(2), n = p.channels;
    return ctx.ParallelFor(
        out->dim(0) * height, width * MoveCost(x.dtype(), n),
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t source = row / height * p.places_of_taps_y +
                                   p.y.taps[row % height].place;
            for (int64_t i = 0; i < width; ++i) {
              CopyElements(
                  x.dtype(), from,
                  (source * p.places_of_taps_x + p.x.taps[i].place) * n, to,
                  (row * width + i) * n, n);
            }
          }
        });
  }

  ResizeOptions options_;
};

// Spreads the gradients of a bilinear or bicubic result, which are float, over
// an original of the result's type.
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
    MR_RETURN_IF_ERROR(CheckImages(grad, "input_grad"));
    MR_RETURN_IF_ERROR(CheckImages(ctx.input(1), "original_image"));
    const TensorShape shape = ctx.input(1).shape();
    if (shape.dim(0) != grad.dim(0) || shape.dim(3) != grad.dim(3)) {
      return InvalidArgument(
          "grads and original_image must have the same batch and channels");
    }
    for (const int d : {1, 2}) {
      if (shape.dim(d) <= 0 || grad.dim(d) <= 0) {
        return InvalidArgument(
            "original_image and grads must be of non-zero size");
      }
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Plane p,
                        MakePlane(kMethod, options_, shape, grad.shape()));
    return Dispatch(FloatTypes{}, out->dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const float* dy = grad.flat<float>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t size = out->num_elements() / shape.dim(0);
      return ctx.ParallelFor(shape.dim(0),
                             grad.num_elements() / shape.dim(0) * 8,
                             [&](int64_t begin, int64_t end) {
                               std::vector<S> image(static_cast<size_t>(size));
                               for (int64_t i = begin; i < end; ++i) {
                                 std::fill(image.begin(), image.end(), S(0));
                                 SpreadImages(p, dy, image.data(), i, i + 1);
                                 for (int64_t k = 0; k < size; ++k) {
                                   z[i * size + k] = static_cast<T>(image[k]);
                                 }
                               }
                             });
    });
  }

 private:
  ResizeOptions options_;
};

class NearestGradKernel {
 public:
  static StatusOr<NearestGradKernel> Make(const KernelInit& init) {
    NearestGradKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, ReadResizeOptions(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        ResizedShape(grad, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(
        const Plane p,
        MakePlane(ResizeMethod::kNearest, options_, shape, grad.shape()));
    return Dispatch(RealTypes{}, grad.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* dy = grad.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t n = p.channels, height = grad.dim(1), width = grad.dim(2);
      const int64_t size = out->num_elements() / shape.dim(0);
      return ctx.ParallelFor(
          shape.dim(0), height * width * n * 2,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              T* to = z + i * size;
              std::fill(to, to + size, T(0));
              for (int64_t y = 0; y < height; ++y) {
                for (int64_t x = 0; x < width; ++x) {
                  const T* from = dy + ((i * height + y) * width + x) * n;
                  T* at = to + (p.y.taps[y].place * shape.dim(2) +
                                p.x.taps[x].place) *
                                   n;
                  for (int64_t c = 0; c < n; ++c) {
                    at[c] = static_cast<T>(Plus<S>(static_cast<S>(at[c]),
                                                   static_cast<S>(from[c])));
                  }
                }
              }
            }
          });
    });
  }

 private:
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
                 .make = MakeKernel<NearestGradKernel>,
                 .host = "size"}};

}  // namespace millrace::ops
