#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kPixelCost = 20;

template <class S>
struct Triple {
  S a, b, c;
};

// Converts [red, green, blue] to [hue, saturation, value].
template <class S>
Triple<S> ToHsv(const Triple<S>& rgb) {
  const S value = std::max(rgb.a, std::max(rgb.b, rgb.c));
  const S range = value - std::min(rgb.a, std::min(rgb.b, rgb.c));
  const S norm = S(1) / (S(6) * range);
  S hue;
  if (rgb.a == value) {
    hue = norm * (rgb.b - rgb.c);
  } else if (rgb.b == value) {
    hue = norm * (rgb.c - rgb.a) + S(2) / S(6);
  } else {
    hue = norm * (rgb.a - rgb.b) + S(4) / S(6);
  }
  if (!(range > 0)) hue = 0;
  if (hue < 0) hue += 1;
  return {hue, value > 0 ? range / value : S(0), value};
}

// Returns the intensity of a colour at a distance of `away` sixths of the
// circle from its own hue.
template <class S>
S Ramp(S away) {
  return std::min(S(1), std::max(S(0), away));
}

template <class S>
Triple<S> ToRgb(const Triple<S>& hsv) {
  const S h = hsv.a * 6, s = hsv.b, v = hsv.c;
  const S rest = 1 - s;
  return {(rest + s * Ramp(std::abs(h - 3) - 1)) * v,
          (rest + s * Ramp(2 - std::abs(h - 2))) * v,
          (rest + s * Ramp(2 - std::abs(h - 4))) * v};
}

// Multiplies the saturation and rebuilds the colour from sixths of the circle.
struct Saturate {
  float scale;
  Triple<float> operator()(const Triple<float>& rgb) const {
    const Triple<float> hsv = ToHsv(rgb);
    const float s = std::min(1.0f, std::max(0.0f, hsv.b * scale));
    const float chroma = s * hsv.c, low = hsv.c - chroma;
    const float h = hsv.a * 6;
    const float mid = chroma * (1 - std::abs(std::fmod(h, 2.0f) - 1));
    Triple<float> out{0, 0, 0};
    if (h < 1) {
      out = {chroma, mid, 0};
    } else if (h < 2) {
      out = {mid, chroma, 0};
    } else if (h < 3) {
      out = {0, chroma, mid};
    } else if (h < 4) {
      out = {0, mid, chroma};
    } else if (h < 5) {
      out = {mid, 0, chroma};
    } else if (h < 6) {
      out = {chroma, 0, mid};
    }
    return {out.a + low, out.b + low, out.c + low};
  }
};

// Adds `delta` to the hue. The middle one of the three colours lies between the
// smallest and the largest, and rises or falls along a sixth of the circle.
struct RotateHue {
  float delta;
  Triple<float> operator()(const Triple<float>& rgb) const {
    const auto [r, g, b] = rgb;
    int sixth;
    float low, mid, high;
    if (r < g) {
      sixth = b < r ? 1 : b > g ? 3 : 2;
      low = sixth == 1 ? b : r;
      mid = sixth == 1 ? r : sixth == 3 ? g : b;
      high = sixth == 3 ? b : g;
    } else {
      sixth = b < g ? 0 : b > r ? 4 : 5;
      low = sixth == 0 ? b : g;
      mid = sixth == 0 ? g : sixth == 4 ? r : b;
      high = sixth == 4 ? b : r;
    }
    float hue = 0;
    if (high != low) {
      const float part = (mid - low) / (high - low);
      hue = static_cast<float>(sixth) + (sixth % 2 == 0 ? part : 1 - part);
    }
    hue = std::fmod(hue + delta * 6, 6.0f);
    if (hue < 0) hue += 6;
    if (hue >= 6) hue -= 6;
    // The hue is NaN if `delta` is not finite.
    const int to = hue >= 0 ? static_cast<int>(hue) : 5;
    const float along = hue - static_cast<float>(to);
    const float between =
        low + (to % 2 == 0 ? along : 1 - along) * (high - low);
    switch (to) {
      case 0:
        return {high, between, low};
      case 1:
        return {between, high, low};
      case 2:
        return {low, high, between};
      case 3:
        return {low, between, high};
      case 4:
        return {between, low, high};
      default:
        return {high, low, between};
    }
  }
};

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

template <bool kToHsv>
Status RunColorSpace(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  if (in.rank() < 1) {
    return InvalidArgument("input must be at least 1D",
                           in.shape().DebugString());
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return FailedPrecondition("input must have 3 channels but input only has ",
                              channels, " channels.");
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  return Dispatch(FloatTypes{}, in.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    return ForPixels<T>(ctx, in, out, [](const Triple<S>& p) {
      if constexpr (kToHsv) {
        return ToHsv(p);
      } else {
        return ToRgb(p);
      }
    });
  });
}

Status CheckPictures(const Tensor& in) {
  if (in.rank() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape",
                           in.shape().DebugString());
  }
  return OkStatus();
}

template <class Change>
Status RunChange(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& by = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckPictures(in));
  if (by.rank() != 0) {
    return InvalidArgument(
        std::is_same_v<Change, RotateHue> ? "delta" : "scale",
        " must be scalar: ", by.shape().DebugString());
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return InvalidArgument("input must have 3 channels but instead has ",
                           channels, " channels.");
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.ForwardOrAllocateOutput({0}, 0, in.shape()));
  return ForPixels<float>(ctx, in, out, Change{by.scalar<float>()});
}

Status RunContrast(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& factor = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckPictures(in));
  if (factor.rank() != 0) {
    return InvalidArgument("contrast_factor must be scalar: ",
                           factor.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  if (in.num_elements() == 0) return OkStatus();
  const int rank = in.rank();
  const int64_t channels = in.dim(rank - 1);
  const int64_t pixels = in.dim(rank - 2) * in.dim(rank - 3);
  const float* const x = in.flat<float>().data();
  float* const z = out->mutable_flat<float>().data();
  const float f = factor.scalar<float>();
  const int64_t size = pixels * channels;
  return ctx.ParallelFor(
      in.num_elements() / size, size * 2, [&](int64_t begin, int64_t end) {
        std::vector<double> sums(static_cast<size_t>(channels));
        std::vector<float> means(static_cast<size_t>(channels));
        for (int64_t i = begin; i < end; ++i) {
          const float* from = x + i * size;
          std::fill(sums.begin(), sums.end(), 0.0);
          for (int64_t k = 0; k < size; k += channels) {
            for (int64_t c = 0; c < channels; ++c) {
              sums[static_cast<size_t>(c)] += double{from[k + c]};
            }
          }
          for (size_t c = 0; c < sums.size(); ++c) {
            means[c] =
                static_cast<float>(sums[c] / static_cast<double>(pixels));
          }
          float* to = z + i * size;
          for (int64_t k = 0; k < size; k += channels) {
            for (int64_t c = 0; c < channels; ++c) {
              const float mean = means[static_cast<size_t>(c)];
              to[k + c] = mean + (from[k + c] - mean) * f;
            }
          }
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
MR_KERNELS(AdjustHue, Cpu){
    {.types = "T: float", .make = MakeFunctionKernel<RunChange<RotateHue>>}};
MR_KERNELS(AdjustSaturation, Cpu){
    {.types = "T: float", .make = MakeFunctionKernel<RunChange<Saturate>>}};

}  // namespace millrace::ops
