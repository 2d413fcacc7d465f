// Kernels of QuantizeAndDequantize in its versions, which round values to
// multiples of a step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/round_trip.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using Reals = Types<float, double>;

enum class Limits { kGiven, kOfValues };
enum class Halves { kToEven, kUp };

// Rounds n values, with parameters for each element if kEach, else the same for
// all. If limits are given, values beyond them become the nearer limit.
template <class T, bool kEach, Limits kLimits, Halves kHalves>
MR_TARGET_CLONES void RoundPiece(const T* x, const Rounding<T>* r, T* z,
                                 int64_t n) {
  const Rounding<T> all = *r;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    T v = x[i];
    if (kLimits == Limits::kGiven) {
      const T max = kEach ? r[i].max : all.max,
              min = kEach ? r[i].min : all.min;
      v = max < v ? max : v;
      v = v < min ? min : v;
    }
    v *= kEach ? r[i].scale : all.scale;
    z[i] = (kHalves == Halves::kToEven ? std::nearbyint(v)
                                       : std::floor(v + T(0.5))) *
           (kEach ? r[i].step : all.step);
  }
}

template <class T, bool kEach>
MR_TARGET_CLONES void PassPiece(const T* dy, const T* x, const T* mins,
                                const T* maxs, T* dx, int64_t n) {
  const T min0 = *mins, max0 = *maxs;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T min = kEach ? mins[i] : min0, max = kEach ? maxs[i] : max0;
    dx[i] = dy[i] * (x[i] >= min && x[i] <= max ? T(1) : T(0));
  }
}

// Lowers *low to the smallest of n values, and raises *high to the largest.
template <class T>
MR_TARGET_CLONES void WidenBy(const T* x, int64_t n, T* low, T* high) {
  constexpr int kLanes = 64 / sizeof(T);
  if (n >= 4 * kLanes) {
    T lows[kLanes], highs[kLanes];
    std::fill(lows, lows + kLanes, *low);
    std::fill(highs, highs + kLanes, *high);
    for (; n >= kLanes; n -= kLanes, x += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lows[k] = x[k] < lows[k] ? x[k] : lows[k];
        highs[k] = highs[k] < x[k] ? x[k] : highs[k];
      }
    }
    for (int k = 0; k < kLanes; ++k) {
      *low = lows[k] < *low ? lows[k] : *low;
      *high = *high < highs[k] ? highs[k] : *high;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    *low = x[i] < *low ? x[i] : *low;
    *high = *high < x[i] ? x[i] : *high;
  }
}

// Finds the smallest and the largest value of each slice; NaN is ignored.
template <class T>
Status FindRanges(KernelContext& ctx, const Slices& s, const T* x,
                  CountedVector<T>* min, CountedVector<T>* max) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr int64_t kPart = 1 << 16, kMaxParts = 64;
  const auto count = static_cast<size_t>(s.count());
  // Parts have ranges of their own, few enough that their memory does not
  // matter.
  const int64_t parts =
      std::clamp<int64_t>(s.total() / (kPart + 64 * s.count()), 1, kMaxParts);
  const int64_t rows = s.outer() * s.count();
  const bool by_rows = rows >= parts;
  const int64_t units = by_rows ? rows : s.total();
  const int64_t per_part = (units + parts - 1) / parts;
  CountedVector<T> lows(count * parts, kInfinity);
  CountedVector<T> highs(count * parts, -kInfinity);
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      parts, s.total() / parts / 4 + 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          T* low = &lows[count * part];
          T* high = &highs[count * part];
          const int64_t unit = by_rows ? s.inner() : 1;
          int64_t i = part * per_part * unit;
          const int64_t stop = std::min(units, (part + 1) * per_part) * unit;
          while (i < stop) {
            const int64_t row = i / s.inner();
            const int64_t n = std::min(stop, (row + 1) * s.inner()) - i;
            WidenBy(x + i, n, low + row % s.count(), high + row % s.count());
            i += n;
          }
        }
      }));
  min->assign(lows.begin(), lows.begin() + s.count());
  max->assign(highs.begin(), highs.begin() + s.count());
  for (int64_t part = 1; part < parts; ++part) {
    for (size_t i = 0; i < count; ++i) {
      (*min)[i] = std::min((*min)[i], lows[count * part + i]);
      (*max)[i] = std::max((*max)[i], highs[count * part + i]);
    }
  }
  return OkStatus();
}

class RoundTrip {
 public:
  static StatusOr<RoundTrip> Make(const KernelInit& init) {
    RoundTrip k;
    MR_ASSIGN_OR_RETURN(k.options_, RoundTripOptions::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const Integers integers, options_.ReadIntegers(ctx));
    if (x.num_elements() == 0 && !options_.range_given()) {
      // There may be more slices than fit into memory.
      return ctx.ForwardOrAllocateOutput({0}, 0, x.shape()).status();
    }
    const Slices slices = options_.SlicesOf(x);
    return Dispatch(Reals{}, x.dtype(), [&]<class T>() -> Status {
      CountedVector<T> min, max;
      MR_RETURN_IF_ERROR(
          options_.range_given()
              ? options_.GivenRanges(ctx, slices, &min, &max)
              : FindRanges(ctx, slices, x.flat<T>().data(), &min, &max));
      const auto roundings = slices.Spread<Rounding<T>>([&](int64_t slice) {
        return integers.RoundingIn(min[slice], max[slice]);
      });
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                                 {0}, 0, ctx.input(0).shape()));
      const T* in = ctx.input(0).flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const auto run =
          slices.interleaved() ? LoopOf<T, true>() : LoopOf<T, false>();
      return slices.ForPieces(
          ctx, 300, [&](int64_t place, int64_t begin, int64_t n) {
            run(in + begin, &roundings[place], z + begin, n);
          });
    });
  }

 private:
  template <class T, bool kEach>
  auto LoopOf() const {
    using enum Limits;
    using enum Halves;
    return options_.range_given()
               ? (options_.to_even() ? RoundPiece<T, kEach, kGiven, kToEven>
                                     : RoundPiece<T, kEach, kGiven, kUp>)
               : (options_.to_even() ? RoundPiece<T, kEach, kOfValues, kToEven>
                                     : RoundPiece<T, kEach, kOfValues, kUp>);
  }

  RoundTripOptions options_;
};

class RoundTripGrad {
 public:
  static StatusOr<RoundTripGrad> Make(const KernelInit& init) {
    RoundTripGrad k;
    MR_ASSIGN_OR_RETURN(k.options_, RoundTripGradOptions::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    const Tensor &min = ctx.input(2), &max = ctx.input(3);
    MR_ASSIGN_OR_RETURN(const Slices slices, options_.Check(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out_min,
                        ctx.AllocateOutput(1, min.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out_max,
                        ctx.AllocateOutput(2, min.shape()));
    return Dispatch(Reals{}, x.dtype(), [&]<class T>() -> Status {
      for (Tensor* const t : {out_min, out_max}) {
        const auto zeros = t->mutable_flat<T>();
        std::fill(zeros.begin(), zeros.end(), T(0));
      }
      const T* from = dy.flat<T>().data();
      const T* in = x.flat<T>().data();
      const auto low =
          slices.Spread<T>([&](int64_t slice) { return min.flat<T>()[slice]; });
      const auto high =
          slices.Spread<T>([&](int64_t slice) { return max.flat<T>()[slice]; });
      T* z = out->mutable_flat<T>().data();
      const auto run =
          slices.interleaved() ? PassPiece<T, true> : PassPiece<T, false>;
      return slices.ForPieces(ctx, 300,
                              [&](int64_t place, int64_t begin, int64_t n) {
                                run(from + begin, in + begin, &low[place],
                                    &high[place], z + begin, n);
                              });
    });
  }

 private:
  RoundTripGradOptions options_;
};

}  // namespace

MR_KERNELS(QuantizeAndDequantize,
           Cpu){{.types = "T: float, double", .make = MakeKernel<RoundTrip>}};
MR_KERNELS(QuantizeAndDequantizeV2,
           Cpu){{.types = "T: float, double", .make = MakeKernel<RoundTrip>}};
MR_KERNELS(QuantizeAndDequantizeV3,
           Cpu){{.types = "T: float, double", .make = MakeKernel<RoundTrip>}};
MR_KERNELS(QuantizeAndDequantizeV4,
           Cpu){{.types = "T: float, double", .make = MakeKernel<RoundTrip>}};
MR_KERNELS(QuantizeAndDequantizeV4Grad, Cpu){
    {.types = "T: float, double", .make = MakeKernel<RoundTripGrad>}};

}  // namespace millrace::ops
