#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/shared_text.h"
#include "millrace/ops/image/colors.h"
#include "millrace/ops/image/pixels/colors.shared.h"
#include "millrace/ops/image/rows/channel_means.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kPixelCost = 20;

using colors::Triple;

template <class T, class F>
Status ForPixels(KernelContext& ctx, const Tensor& in, Tensor* out, F&& f) {
  using S = ComputeType<T>;
  const T* x = in.flat<T>().data();
  T* z = out->mutable_flat<T>().data();
  return ctx.ParallelFor(
      in.num_elements() / 3, kPixelCost, [&](int64_t begin, int64_t end) {
        for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
          const Triple<S> result =
              f(Triple<S>{static_cast<S>(x[i]), static_cast<S>(x[i + 1]),
                          static_cast<S>(x[i + 2])});
          z[i] = static_cast<T>(result.a);
          z[i + 1] = static_cast<T>(result.b);
          z[i + 2] = static_cast<T>(result.c);
        }
      });
}

// Converts n pixels of numbers that need no other type.
template <bool kToHsv, class S>
MR_TARGET_CLONES void ConvertPixels(const S* x, int64_t n, S* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const Triple<S> p{x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    const Triple<S> q = kToHsv ? colors::ToHsv(p) : colors::ToRgb(p);
    z[3 * i] = q.a;
    z[3 * i + 1] = q.b;
    z[3 * i + 2] = q.c;
  }
}

template <bool kToHsv>
Status RunColorSpace(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  MR_RETURN_IF_ERROR(CheckColors(in));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  return Dispatch(FloatTypes{}, in.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    if constexpr (std::is_same_v<S, T>) {
      const T* const x = in.flat<T>().data();
      T* const z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          in.num_elements() / 3, 3, [&](int64_t begin, int64_t end) {
            ConvertPixels<kToHsv>(x + 3 * begin, end - begin, z + 3 * begin);
          });
    }
    return ForPixels<T>(ctx, in, out, [](const Triple<S>& p) {
      if constexpr (kToHsv) {
        return colors::ToHsv(p);
      } else {
        return colors::ToRgb(p);
      }
    });
  });
}

template <class Change>
MR_TARGET_CLONES void ChangePixels(const Change& by, const float* x, int64_t n,
                                   float* z) {
  const Change change = by;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const Triple<float> p = change({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
    z[3 * i] = p.a;
    z[3 * i + 1] = p.b;
    z[3 * i + 2] = p.c;
  }
}

template <class Change>
Status ChangeImages(KernelContext& ctx, const Change& change, const Tensor& in,
                    Tensor* out) {
  const float* const x = in.flat<float>().data();
  float* const z = out->mutable_flat<float>().data();
  return ctx.ParallelFor(
      in.num_elements() / 3, 6, [&](int64_t begin, int64_t end) {
        ChangePixels(change, x + 3 * begin, end - begin, z + 3 * begin);
      });
}

template <class Change>
Status RunChange(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& by = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckAdjusted(
      in, by, std::is_same_v<Change, colors::RotateHue> ? "delta" : "scale"));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.ForwardOrAllocateOutput({0}, 0, in.shape()));
  const float amount = by.scalar<float>();
  if constexpr (std::is_same_v<Change, colors::RotateHue>) {
    // What needs no remainder needs no call for each pixel.
    if (std::abs(amount) <= 1) {
      return ChangeImages(ctx, colors::RotateHueBy<true>{amount}, in, out);
    }
  }
  return ChangeImages(ctx, Change{amount}, in, out);
}

Status RunContrast(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& factor = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckContrast(ctx));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  if (in.num_elements() == 0) return OkStatus();
  const Pictures pictures(in.shape());
  const int64_t channels = pictures.channels, pixels = pictures.pixels;
  const float* const x = in.flat<float>().data();
  float* const z = out->mutable_flat<float>().data();
  const float f = factor.scalar<float>();
  const int64_t size = pixels * channels;
  return ctx.ParallelFor(pictures.count, size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const CountedVector<float> means =
          ChannelMeans(x + i * size, pixels, channels);
      StretchFromMeans(x + i * size, size, means, f, z + i * size);
    }
  });
}

}  // namespace

MR_KERNELS(RGBToHSV, Cpu){{.types = "T: half, bfloat16, float, double",
                           .make = MakeFunctionKernel<RunColorSpace<true>>}};
MR_KERNELS(HSVToRGB, Cpu){{.types = "T: half, bfloat16, float, double",
                           .make = MakeFunctionKernel<RunColorSpace<false>>}};
MR_KERNELS(AdjustContrastv2,
           Cpu){{.types = "T: float", .make = MakeFunctionKernel<RunContrast>}};
MR_KERNELS(AdjustHue,
           Cpu){{.types = "T: float",
                 .make = MakeFunctionKernel<RunChange<colors::RotateHue>>}};
MR_KERNELS(AdjustSaturation,
           Cpu){{.types = "T: float",
                 .make = MakeFunctionKernel<RunChange<colors::Saturate>>}};

}  // namespace millrace::ops
