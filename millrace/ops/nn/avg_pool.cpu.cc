#include <algorithm>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/pool.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T, class S>
MR_TARGET_CLONES void AddTo(const T* x, S* sums, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<S>(x[i]);
}
template <class S, class T>
MR_TARGET_CLONES void ScaleTo(const S* x, S factor, T* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(x[i] * factor);
}

template <class S>
S PerElement(const Covered (&covered)[kMaxSpatial]) {
  return S(1) / static_cast<S>(covered[0].size() * covered[1].size() *
                               covered[2].size());
}

class AvgPoolKernel {
 public:
  static StatusOr<AvgPoolKernel> Make(const KernelInit& init) {
    AvgPoolKernel k;
    MR_ASSIGN(k.attrs_, PoolAttrs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN(const PoolProblem p, attrs_.Resolve(x.shape(), false));
    MR_ASSIGN(Tensor* const out,
              ctx.AllocateOutput(0, attrs_.OutputShape(p, x.shape())));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(FloatTypes{}, x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* in = x.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t n = p.channels;
      return ctx.ParallelFor(
          p.images * p.OutputPixels(), p.Taps() * (n / 4 + 5),
          [&](int64_t begin, int64_t end) {
            std::vector<S> sums(static_cast<size_t>(n));
            ForWindows(p, begin, end,
                       [&](int64_t o, int64_t image, const auto& covered) {
                         std::fill(sums.begin(), sums.end(), S(0));
                         ForCovered(p, image, covered, [&](int64_t pixel) {
                           AddTo(in + pixel * n, sums.data(), n);
                         });
                         ScaleTo(sums.data(), PerElement<S>(covered), z + o * n,
                                 n);
                       });
          });
    });
  }

 private:
  PoolAttrs attrs_;
};

class AvgPoolGradKernel {
 public:
  static StatusOr<AvgPoolGradKernel> Make(const KernelInit& init) {
    AvgPoolGradKernel k;
    MR_ASSIGN(k.attrs_, PoolAttrs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).rank() != 1) {
      return InvalidArgument(
          "out_backprop and orig_input_shape must be a shape: ",
          ctx.input(0).shape().DebugString());
    }
    MR_ASSIGN(const TensorShape input, ShapeFromTensor(ctx.input(0)));
    const Tensor& grad = ctx.input(1);
    MR_ASSIGN(const PoolProblem p, attrs_.Resolve(input, false));
    const TensorShape output = attrs_.OutputShape(p, input);
    MR_RETURN_IF_ERROR(ExpectShape("grad", grad, output));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, input));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(FloatTypes{}, grad.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* dy = grad.flat<T>().data();
      T* dx = out->mutable_flat<T>().data();
      const int64_t n = p.channels;
      const int64_t image_size = p.InputPixels() * n;
      const int64_t pixels = p.OutputPixels();
      return ctx.ParallelFor(
          p.images, pixels * p.Taps() * (n / 4 + 5),
          [&](int64_t begin, int64_t end) {
            std::vector<S> image(static_cast<size_t>(image_size));
            std::vector<S> part(static_cast<size_t>(n));
            for (int64_t i = begin; i < end; ++i) {
              std::fill(image.begin(), image.end(), S(0));
              ForWindows(p, i * pixels, (i + 1) * pixels,
                         [&](int64_t o, int64_t, const auto& covered) {
                           const S scale = PerElement<S>(covered);
                           for (int64_t c = 0; c < n; ++c) {
                             part[c] = static_cast<S>(dy[o * n + c]) * scale;
                           }
                           ForCovered(p, 0, covered, [&](int64_t pixel) {
                             AddTo(part.data(), image.data() + pixel * n, n);
                           });
                         });
              ScaleTo(image.data(), S(1), dx + i * image_size, image_size);
            }
          });
    });
  }

 private:
  PoolAttrs attrs_;
};

#define MR_FLOAT_TYPES "T: bfloat16, double, float, half"

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(AvgPool,
           Cpu){{.types = MR_FLOAT_TYPES, .make = MakeKernel<AvgPoolKernel>}};
MR_KERNELS(AvgPoolGrad, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeKernel<AvgPoolGradKernel>}};
MR_KERNELS(AvgPool3D, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<AvgPoolKernel>}};
MR_KERNELS(AvgPool3DGrad, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<AvgPoolGradKernel>}};
