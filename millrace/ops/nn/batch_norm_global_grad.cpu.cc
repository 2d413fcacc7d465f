#include <algorithm>
#include <cmath>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/nn/batch_norm.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status CheckGlobalNormGrad(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& dy = ctx.input(4);
  if (x.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional",
                           x.shape().DebugString());
  }
  constexpr const char* kNames[] = {"mean", "var", "gamma"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& t = ctx.input(i + 1);
    if (t.rank() != 1) {
      return InvalidArgument(kNames[i], " must be 1-dimensional",
                             t.shape().DebugString());
    }
  }
  if (dy.rank() != 4) {
    return InvalidArgument("out_backprop must be 4-dimensional",
                           dy.shape().DebugString());
  }
  for (int i = 0; i < 3; ++i) {
    const int64_t found = ctx.input(i + 1).dim(0);
    if (found != x.dim(3)) {
      return InvalidArgument(kNames[i], " must have ", x.dim(3),
                             " elements, but has ", found);
    }
  }
  if (dy.shape() != x.shape()) {
    return InvalidArgument("out_backprop must have the shape of the input ",
                           x.shape().DebugString(), ", but has ",
                           dy.shape().DebugString());
  }
  return OkStatus();
}

namespace {

// Pixels whose sums a thread computes; the parts are added up in their order.
constexpr int64_t kPixelsOfGlobalPart = 512;

class GlobalNormGradKernel {
 public:
  static StatusOr<GlobalNormGradKernel> Make(const KernelInit& init) {
    GlobalNormGradKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, GlobalNormAttrs::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckGlobalNormGrad(ctx));
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const dx, ctx.AllocateOutput(0, x.shape()));
    Tensor* vectors[4];  // gradients of mean, variance, beta and gamma
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN_OR_RETURN(vectors[i],
                          ctx.AllocateOutput(i + 1, TensorShape({x.dim(3)})));
    }
    // Without channels there may be endless pixels.
    if (x.dim(3) == 0) return OkStatus();
    return Dispatch<float, double, Half>(x.dtype(), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, dx, vectors);
    });
  }

 private:
  // Returns the sums of dy and of dy (x - mean), by channel: [2, channels].
  template <class T>
  static StatusOr<Tensor> Sums(KernelContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int64_t n = x.dim(3);
    const int64_t pixels = x.shape().NumElements(0, 3);
    const int64_t parts =
        (pixels + kPixelsOfGlobalPart - 1) / kPixelsOfGlobalPart;
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({parts + 1, 2, n}));
    MR_ASSIGN_OR_RETURN(Tensor all, ctx.AllocateTemp(DataType::kDouble, shape));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, &all));
    const T* const in = x.flat<T>().data();
    const T* const mean = ctx.input(1).flat<T>().data();
    const T* const dy = ctx.input(4).flat<T>().data();
    double* const sums = all.mutable_flat<double>().data();
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        parts, kPixelsOfGlobalPart * n * 2, [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part) {
            double* const s = sums + (part + 1) * 2 * n;
            const int64_t last =
                std::min(pixels, (part + 1) * kPixelsOfGlobalPart);
            for (int64_t p = part * kPixelsOfGlobalPart; p < last; ++p) {
              for (int64_t c = 0; c < n; ++c) {
                const auto d = static_cast<double>(dy[p * n + c]);
                const double from_mean = static_cast<double>(in[p * n + c]) -
                                         static_cast<double>(mean[c]);
                s[c] += d;
                s[n + c] += d * from_mean;
              }
            }
          }
        }));
    for (int64_t part = 1; part <= parts; ++part) {
      for (int64_t c = 0; c < 2 * n; ++c) sums[c] += sums[part * 2 * n + c];
    }
    return all.Rows(0, 1);
  }

  template <class T>
  Status RunTyped(KernelContext& ctx, Tensor* dx,
                  Tensor* const* vectors) const {
    const int64_t n = dx->dim(3);
    MR_ASSIGN_OR_RETURN(const Tensor sums, Sums<T>(ctx));
    MR_ASSIGN_OR_RETURN(Tensor factors,
                        ctx.AllocateTemp(DataType::kDouble, TensorShape({n})));
    const double* const s = sums.flat<double>().data();
    double* const factor = factors.mutable_flat<double>().data();
    T* out[4];
    for (int i = 0; i < 4; ++i) {
      out[i] = vectors[i]->mutable_flat<T>().data();
    }
    for (int64_t c = 0; c < n; ++c) {
      const double variance = static_cast<double>(ctx.input(2).flat<T>()[c]) +
                              static_cast<double>(attrs_.epsilon);
      const double r = 1 / std::sqrt(variance);
      const double gamma = static_cast<double>(ctx.input(3).flat<T>()[c]);
      factor[c] = attrs_.scales ? r * gamma : r;
      out[0][c] = static_cast<T>(-s[c] * factor[c]);
      out[1][c] = static_cast<T>(s[n + c] * -0.5 * factor[c] / variance);
      out[2][c] = static_cast<T>(s[c]);
      out[3][c] = static_cast<T>(attrs_.scales ? s[n + c] * r : 0.0);
    }
    const T* const dy = ctx.input(4).flat<T>().data();
    T* const z = dx->mutable_flat<T>().data();
    return ctx.ParallelFor(
        dx->shape().NumElements(0, 3), n * 2, [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p) {
            for (int64_t c = 0; c < n; ++c) {
              z[p * n + c] = static_cast<T>(static_cast<double>(dy[p * n + c]) *
                                            factor[c]);
            }
          }
        });
  }

  GlobalNormAttrs attrs_;
};

}  // namespace

MR_KERNELS(BatchNormWithGlobalNormalizationGrad,
           Cpu){{.types = "T: float, double, half",
                 .make = MakeKernel<GlobalNormGradKernel>}};

}  // namespace millrace::ops
