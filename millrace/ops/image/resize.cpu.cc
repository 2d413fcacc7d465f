#include "absl/strings/match.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/image/axis.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

StatusOr<ResizeOptions> ReadOptions(const KernelInit& init) {
  ResizeOptions o;
  MR_ASSIGN(o.align_corners, init.Attr<bool>("align_corners"));
  if (init.HasAttr("half_pixel_centers")) {
    MR_ASSIGN(o.half_pixel_centers, init.Attr<bool>("half_pixel_centers"));
  }
  if (o.align_corners && o.half_pixel_centers) {
    return InvalidArgument(
        "If half_pixel_centers is True, align_corners must be False.");
  }
  return o;
}

ResizeMethod MethodOf(const std::string& op) {
  return absl::StrContains(op, "Nearest")    ? ResizeMethod::kNearest
         : absl::StrContains(op, "Bilinear") ? ResizeMethod::kBilinear
         : absl::StrContains(op, "Bicubic")  ? ResizeMethod::kBicubic
                                             : ResizeMethod::kArea;
}

Status CheckImage(const Tensor& t, const char* what) {
  if (t.rank() != 4) {
    return InvalidArgument(what, " must be 4-dimensional",
                           t.shape().DebugString());
  }
  return OkStatus();
}

// [batch, height, width, channels] with the sizes of an input.
StatusOr<TensorShape> NewShape(const Tensor& image, const Tensor& size) {
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
  if (image.dim(1) <= 0 || image.dim(2) <= 0) {
    return InvalidArgument("input image must be of non-zero size");
  }
  return TensorShape::Make({image.dim(0), sizes[0], sizes[1], image.dim(3)});
}

// Axes of the two tensors: `small` is indexed by the axes' places, `large` by
// their taps (names of the forward direction do not matter).
struct Plane {
  Axis y, x;
  int64_t places_of_taps_y = 0, places_of_taps_x = 0;  // sizes of `large`
  int64_t channels = 0;
  MemoryCharge charge;
};

StatusOr<Plane> MakePlane(ResizeMethod method, const ResizeOptions& options,
                          const TensorShape& original,
                          const TensorShape& resized) {
  MemoryCharge charge;
  int64_t taps = 0;
  for (const int d : {1, 2}) {
    taps += MostTaps(method, original.dim(d), resized.dim(d));
  }
  // Vectors take up to twice as much while they grow.
  MR_ASSIGN(const int64_t bytes, (CheckedSize(taps) * 2 * sizeof(Tap))
                                     .Get("the memory of a resized axis"));
  MR_RETURN_IF_ERROR(charge.Set(bytes, "a resized axis"));
  Axis y = MakeAxis(method, options, original.dim(1), resized.dim(1));
  Axis x = MakeAxis(method, options, original.dim(2), resized.dim(2));
  return Plane{std::move(y),    std::move(x),    original.dim(1),
               original.dim(2), original.dim(3), std::move(charge)};
}

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

class ResizeKernel {
 public:
  static StatusOr<ResizeKernel> Make(const KernelInit& init) {
    ResizeKernel k;
    MR_ASSIGN(k.options_, ReadOptions(init));
    k.method_ = MethodOf(init.node().op->name);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckImage(x, "input"));
    MR_ASSIGN(const TensorShape shape, NewShape(x, ctx.input(1)));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN(const Plane p, MakePlane(method_, options_, x.shape(), shape));
    if (method_ == ResizeMethod::kNearest) return Move(ctx, p, x, out);
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

  ResizeMethod method_ = ResizeMethod::kNearest;
  ResizeOptions options_;
};

// Of bilinear and bicubic: grads are float, the original has the result's
// type.
class ResizeGradKernel {
 public:
  static StatusOr<ResizeGradKernel> Make(const KernelInit& init) {
    ResizeGradKernel k;
    MR_ASSIGN(k.options_, ReadOptions(init));
    k.method_ = MethodOf(init.node().op->name);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckImage(grad, "input_grad"));
    MR_RETURN_IF_ERROR(CheckImage(ctx.input(1), "original_image"));
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
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN(const Plane p, MakePlane(method_, options_, shape, grad.shape()));
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
  ResizeMethod method_ = ResizeMethod::kBilinear;
  ResizeOptions options_;
};

class NearestGradKernel {
 public:
  static StatusOr<NearestGradKernel> Make(const KernelInit& init) {
    NearestGradKernel k;
    MR_ASSIGN(k.options_, ReadOptions(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckImage(grad, "input"));
    MR_ASSIGN(const TensorShape shape, NewShape(grad, ctx.input(1)));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN(const Plane p,
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

MR_KERNELS(ResizeBilinear, Cpu){{.types = "T: " MR_REAL_TYPES,
                                 .make = MakeKernel<ResizeKernel>,
                                 .host = "size"}};
MR_KERNELS(ResizeNearestNeighbor, Cpu){{.types = "T: " MR_REAL_TYPES,
                                        .make = MakeKernel<ResizeKernel>,
                                        .host = "size"}};
MR_KERNELS(ResizeBicubic, Cpu){{.types = "T: " MR_REAL_TYPES,
                                .make = MakeKernel<ResizeKernel>,
                                .host = "size"}};
MR_KERNELS(ResizeArea, Cpu){{.types = "T: " MR_REAL_TYPES,
                             .make = MakeKernel<ResizeKernel>,
                             .host = "size"}};
MR_KERNELS(ResizeBilinearGrad,
           Cpu){{.types = "T: float, bfloat16, half, double",
                 .make = MakeKernel<ResizeGradKernel>}};
MR_KERNELS(ResizeBicubicGrad, Cpu){
    {.types = "T: float, double", .make = MakeKernel<ResizeGradKernel>}};
MR_KERNELS(ResizeNearestNeighborGrad,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<NearestGradKernel>,
                 .host = "size"}};

}  // namespace millrace::ops
