// Kernels of QuantizeAndDequantize in its versions, which round values to
// multiples of a step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using Reals = Types<float, double>;

// The integers that represent the values.
struct Integers {
  bool is_signed = true, narrow = false;
  int64_t num_bits = 8;

  int64_t least() const {
    return is_signed ? -(int64_t{1} << (num_bits - 1)) + (narrow ? 1 : 0) : 0;
  }
  int64_t most() const {
    return is_signed ? (int64_t{1} << (num_bits - 1)) - 1
                     : (int64_t{1} << num_bits) - 1;
  }
  // `attr` is the name of the attribute signed_input in the message.
  Status Check(absl::string_view attr) const {
    if (num_bits > 0 && num_bits < (is_signed ? 62 : 63)) return OkStatus();
    return InvalidArgument("num_bits is out of range: ", num_bits, " with ",
                           attr, " ", is_signed ? 1 : 0);
  }
};

// How a slice is rounded: values are limited to [min, max], multiplied by
// `scale`, rounded, and multiplied by `step`.
template <class T>
struct Rounding {
  T min, max, scale, step;

  // The end of the range that needs the larger step decides; the other end
  // moves, so that 0 stays 0.
  Rounding(T low, T high, const Integers& n) : min(low), max(high) {
    const auto least = static_cast<T>(n.least());
    const auto most = static_cast<T>(n.most());
    constexpr T kNone = std::numeric_limits<T>::max();
    const T from_min = least * min > 0 ? least / min : kNone;
    const T from_max = most * max > 0 ? most / max : kNone;
    if (from_min < from_max) {
      scale = from_min;
      step = min / least;
      max = most * step;
    } else {
      scale = from_max;
      step = max / most;
      min = least * step;
    }
  }
};

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
                  std::vector<T>* min, std::vector<T>* max) {
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
  std::vector<T> lows(count * parts, kInfinity);
  std::vector<T> highs(count * parts, -kInfinity);
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
    MR_ASSIGN_OR_RETURN(k.integers_.is_signed, init.Attr<bool>("signed_input"));
    MR_ASSIGN_OR_RETURN(k.range_given_, init.Attr<bool>("range_given"));
    if (init.HasAttr("narrow_range")) {
      MR_ASSIGN_OR_RETURN(k.integers_.narrow, init.Attr<bool>("narrow_range"));
    }
    if (init.HasAttr("axis")) {
      MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("axis"));
    }
    if (init.HasAttr("round_mode")) {
      MR_ASSIGN_OR_RETURN(const auto round,
                          init.Attr<std::string>("round_mode"));
      k.to_even_ = round == "HALF_TO_EVEN";
    }
    if (init.HasAttr("num_bits")) {
      MR_ASSIGN_OR_RETURN(k.integers_.num_bits, init.Attr<int32_t>("num_bits"));
      MR_RETURN_IF_ERROR(k.integers_.Check("signed_input_"));
    }
    if (init.HasAttr("input_min")) {
      MR_ASSIGN_OR_RETURN(k.min_, init.Attr<float>("input_min"));
      MR_ASSIGN_OR_RETURN(k.max_, init.Attr<float>("input_max"));
      if (k.range_given_ && !(k.min_ <= k.max_))
        return BadRange(k.min_, k.max_);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (axis_ < -1 || axis_ >= x.rank()) {
      return InvalidArgument("Shape must be at least rank ", axis_ + 1,
                             " but is rank ", x.rank());
    }
    Integers integers = integers_;
    if (ctx.num_inputs() > 3) {
      MR_RETURN_IF_ERROR(CheckNumBits(ctx.input(3)));
      integers.num_bits = ctx.input(3).scalar<int32_t>();
      MR_RETURN_IF_ERROR(integers.Check("`signed_input_`"));
    }
    if (x.num_elements() == 0 && !range_given_) {
      // There may be more slices than fit into memory.
      return ctx.ForwardOrAllocateOutput({0}, 0, x.shape()).status();
    }
    const Slices slices(x.shape(), axis_);
    return Dispatch(Reals{}, x.dtype(), [&]<class T>() -> Status {
      std::vector<T> min, max;
      MR_RETURN_IF_ERROR(Ranges<T>(ctx, slices, &min, &max));
      const auto roundings = slices.Spread<Rounding<T>>([&](int64_t slice) {
        return Rounding<T>(min[slice], max[slice], integers);
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
    return range_given_ ? (to_even_ ? RoundPiece<T, kEach, kGiven, kToEven>
                                    : RoundPiece<T, kEach, kGiven, kUp>)
                        : (to_even_ ? RoundPiece<T, kEach, kOfValues, kToEven>
                                    : RoundPiece<T, kEach, kOfValues, kUp>);
  }

  template <class T>
  static Status BadRange(T min, T max) {
    return InvalidArgument("Invalid range: input_min ", min, " > input_max ",
                           max);
  }
  static Status CheckNumBits(const Tensor& t) {
    if (t.num_elements() == 1) return OkStatus();
    return InvalidArgument(
        "Invalid shape. The `num_bits` tensor should be a "
        "scalar. Got dimensions: ",
        t.rank());
  }

  template <class T>
  Status Ranges(KernelContext& ctx, const Slices& s, std::vector<T>* min,
                std::vector<T>* max) const {
    const Tensor& x = ctx.input(0);
    if (!range_given_) {
      return FindRanges(ctx, s, x.flat<T>().data(), min, max);
    }
    if (ctx.num_inputs() == 1) {
      min->assign(1, static_cast<T>(min_));
      max->assign(1, static_cast<T>(max_));
      return OkStatus();
    }
    const Tensor &mins = ctx.input(1), &maxs = ctx.input(2);
    if (axis_ == -1) {
      MR_RETURN_IF_ERROR(CheckScalarRange(mins, "input_min"));
      MR_RETURN_IF_ERROR(CheckScalarRange(maxs, "input_max"));
      const T low = mins.scalar<T>(), high = maxs.scalar<T>();
      if (!(low <= high)) return BadRange(low, high);
    } else {
      MR_RETURN_IF_ERROR(CheckVectorRange(mins, "input_min", x, s.count()));
      MR_RETURN_IF_ERROR(CheckVectorRange(maxs, "input_max", x, s.count()));
    }
    min->assign(mins.flat<T>().begin(), mins.flat<T>().end());
    max->assign(maxs.flat<T>().begin(), maxs.flat<T>().end());
    return OkStatus();
  }

  static Status CheckScalarRange(const Tensor& t, const char* name) {
    if (t.rank() == 0) return OkStatus();
    return InvalidArgument(name,
                           " must be a scalar. Without an axis there is one "
                           "range, but it has shape ",
                           t.shape().DebugString());
  }
  Status CheckVectorRange(const Tensor& t, const char* name, const Tensor& x,
                          int64_t count) const {
    if (t.rank() != 1) {
      return InvalidArgument("Shape must be rank 1 for ", name,
                             "_tensor when the axis is specified, but is rank ",
                             t.rank());
    }
    if (t.dim(0) != count) {
      return InvalidArgument(name, "_tensor has incorrect size, was ", t.dim(0),
                             " expected ", count, " to match dim ", axis_,
                             " of the input ", x.shape().DebugString());
    }
    return OkStatus();
  }

  Integers integers_;
  bool range_given_ = false, to_even_ = true;
  int64_t axis_ = -1;
  float min_ = 0, max_ = 0;
};

class RoundTripGrad {
 public:
  static StatusOr<RoundTripGrad> Make(const KernelInit& init) {
    RoundTripGrad k;
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("axis"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    const Tensor &min = ctx.input(2), &max = ctx.input(3);
    if (dy.shape() != x.shape()) {
      return InvalidArgument("gradient and input must be the same size");
    }
    if (axis_ < -1 || axis_ >= x.rank()) {
      return InvalidArgument("Axis should be -1 or less than ", x.rank(),
                             ", but given axis value was ", axis_);
    }
    const Slices slices(x.shape(), axis_);
    MR_RETURN_IF_ERROR(CheckRange(min, "min", slices.count()));
    MR_RETURN_IF_ERROR(CheckRange(max, "max", slices.count()));
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
  Status CheckRange(const Tensor& t, const char* name, int64_t count) const {
    if (t.rank() != (axis_ == -1 ? 0 : 1)) {
      return InvalidArgument("input_", name,
                             " must be a scalar if axis is "
                             "unspecified, else a vector, but has rank ",
                             t.rank());
    }
    if (axis_ == -1) return OkStatus();
    if (t.dim(0) != count) {
      return InvalidArgument(name, " has incorrect size, expected ", count,
                             " was ", t.dim(0));
    }
    return OkStatus();
  }

  int64_t axis_ = -1;
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
