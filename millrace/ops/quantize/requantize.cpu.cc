#include "millrace/ops/quantize/requantize.h"

#include <atomic>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Fixed-point numbers with 16 fractional bits.
struct FixedPoint {
  int64_t scale = 0, offset = 0;

  FixedPoint(Range from, Range to) {
    constexpr double kOne = 1 << 16;
    constexpr int64_t kHalf = 1 << 15;
    const float from_size = from.max - from.min, to_size = to.max - to.min;
    const bool none = to_size == 0;
    // The precisions and rounding are stock's.
    const float steps = none ? 0.0f : static_cast<float>(255.0 / to_size);
    const auto middle =
        static_cast<float>(static_cast<double>(from.min + from.max) / 2.0);
    const int64_t middle_at =
        ToInt64(middle * steps * static_cast<float>(kOne));
    const int64_t low_at =
        none ? 0 : ToInt64(kOne * (to.min * 255.0) / to_size);
    scale = none ? 0
                 : ToInt64(static_cast<double>(
                       ToInt64(255.0 * kOne * from_size / to_size)));
    offset = static_cast<int64_t>(static_cast<uint64_t>(middle_at) -
                                  static_cast<uint64_t>(low_at) +
                                  static_cast<uint64_t>(kHalf));
  }
};

MR_TARGET_CLONES void FixedSpan(const int32_t* x, FixedPoint p, uint8_t* z,
                                int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    // The product wraps around, as stock's does.
    const auto product = static_cast<int64_t>(
        static_cast<uint64_t>(int64_t{x[i]}) * static_cast<uint64_t>(p.scale));
    const auto sum = static_cast<int64_t>(static_cast<uint64_t>(product >> 32) +
                                          static_cast<uint64_t>(p.offset));
    const int64_t v = sum >> 16;
    z[i] = static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
  }
}

MR_TARGET_CLONES void FloatSpan(const int32_t* x, ToReal<Qint32> real,
                                ToSteps<Qint8> steps, int8_t* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = static_cast<int8_t>(steps(real(x[i])));
  }
}

// Computes out = x * scale of the channel, rounded to the nearest number of T,
// ties to even.
template <class T>
MR_TARGET_CLONES void ScaleChannels(const int32_t* x, const float* scales,
                                    IntegerOf<T>* z, int64_t n) {
  constexpr auto kLow = static_cast<float>(Lowest<T>());
  constexpr auto kHigh = static_cast<float>(Highest<T>());
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    float v = static_cast<float>(x[i]) * scales[i];
    v = v < kHigh ? v : kHigh;
    v = v > kLow ? v : kLow;
    z[i] = static_cast<IntegerOf<T>>(static_cast<int32_t>(std::nearbyint(v)));
  }
}

MR_TARGET_CLONES void WidenBy(const int32_t* x, int64_t n, int32_t* low,
                              int32_t* high) {
  int32_t least = *low, most = *high;
  for (int64_t i = 0; i < n; ++i) {
    least = std::min(least, x[i]);
    most = std::max(most, x[i]);
  }
  *low = least;
  *high = most;
}

// Extends each range [low[i], high[i]] to include x[i].
MR_TARGET_CLONES void WidenEach(const int32_t* x, int32_t* low, int32_t* high,
                                int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    low[i] = std::min(low[i], x[i]);
    high[i] = std::max(high[i], x[i]);
  }
}

struct Extremes {
  int32_t least = std::numeric_limits<int32_t>::max();
  int32_t most = std::numeric_limits<int32_t>::min();
};

StatusOr<Extremes> FindExtremes(KernelContext& ctx, const Tensor& x) {
  const int32_t* in = reinterpret_cast<const int32_t*>(x.data());
  std::atomic<int32_t> least{Extremes().least}, most{Extremes().most};
  MR_RETURN_IF_ERROR(ShardElements(
      ctx, x.num_elements(), 150, [&](int64_t begin, int64_t end) {
        Extremes e;
        WidenBy(in + begin, end - begin, &e.least, &e.most);
        int32_t seen = least.load();
        while (e.least < seen && !least.compare_exchange_weak(seen, e.least)) {
        }
        seen = most.load();
        while (seen < e.most && !most.compare_exchange_weak(seen, e.most)) {
        }
      }));
  return Extremes{least.load(), most.load()};
}

Range UsedRange(Extremes e, Range r) {
  return {std::min(0.0f, Dequantize<Qint32>(e.least, r)),
          Dequantize<Qint32>(e.most, r)};
}

// Computes output 0 from input 0.
template <class T>
Status RequantizeAll(KernelContext& ctx, Range from, Range to) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  const auto* in = reinterpret_cast<const int32_t*>(x.data());
  auto* z = reinterpret_cast<IntegerOf<T>*>(out->mutable_data());
  MR_RETURN_IF_ERROR(ShardElements(
      ctx, x.num_elements(), 500, [&](int64_t begin, int64_t end) {
        RequantizeSpan<T>(in + begin, from, to, z + begin, end - begin);
      }));
  return SetRange(ctx, 1, to);
}

using Narrow = Types<Qint8, Quint8>;

Status RunRequantize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Range from, RangeInput(ctx, 1, 2));
  MR_ASSIGN_OR_RETURN(const Range to, RangeInput(ctx, 3, 4));
  if (!(to.min <= 0)) {
    return InvalidArgument("requested_output_min must be <= 0, but got ",
                           to.min);
  }
  if (!(to.max >= to.min)) {
    return InvalidArgument(
        "requested_output_max must be >= requested_output_min, but got ",
        to.max, " and ", to.min);
  }
  return Dispatch(Narrow{}, ctx.output_type(0), [&]<class T>() -> Status {
    return RequantizeAll<T>(ctx, from, to);
  });
}

Status RunRange(KernelContext& ctx) {
  for (const int i : {1, 2}) {
    if (ctx.input(i).num_elements() == 0) {
      return InvalidArgument("Input ", i == 1 ? "min" : "max",
                             " must not be empty.");
    }
  }
  MR_ASSIGN_OR_RETURN(const Range r, RangeInput(ctx, 1, 2));
  MR_ASSIGN_OR_RETURN(const Extremes e, FindExtremes(ctx, ctx.input(0)));
  return SetRange(ctx, 0, UsedRange(e, r));
}

Status RunShrink(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Range r, RangeInput(ctx, 1, 2));
  MR_ASSIGN_OR_RETURN(const Extremes e, FindExtremes(ctx, ctx.input(0)));
  return RequantizeAll<Quint8>(ctx, r, UsedRange(e, r));
}

// The end of ranges whose size says how many channels there are.
enum class ToldBy { kMin, kMax };

Status CheckChannels(const Tensor& x, const Tensor& min, const Tensor& max,
                     ToldBy told, const char* rank_error) {
  if (x.rank() != 4) {
    return InvalidArgument(rank_error, " Got rank ", x.rank());
  }
  const int64_t depth = (told == ToldBy::kMin ? min : max).num_elements();
  const auto check = [depth](const Tensor& t, const char* name) -> Status {
    if (t.rank() == 1 && t.dim(0) == depth) return OkStatus();
    return InvalidArgument(name, " has incorrect size, expected ", depth,
                           " was ", t.num_elements());
  };
  // The other one first, as the end that tells has the size that it tells.
  const bool min_first = told == ToldBy::kMax;
  MR_RETURN_IF_ERROR(min_first ? check(min, "input_min")
                               : check(max, "input_max"));
  MR_RETURN_IF_ERROR(min_first ? check(max, "input_max")
                               : check(min, "input_min"));
  if (told == ToldBy::kMax && x.num_elements() == 0) {
    return InvalidArgument("input must not be empty");
  }
  if (x.dim(3) == depth) return OkStatus();
  return InvalidArgument(
      "input must have same number of channels as length of input_min: ",
      x.dim(3), " vs ", depth);
}

// Returns the largest number of each channel's range, which is symmetric.
CountedVector<float> ChannelSizes(const Tensor& min, const Tensor& max) {
  CountedVector<float> sizes;
  for (int64_t i = 0; i < min.num_elements(); ++i) {
    sizes.push_back(std::max(std::abs(min.flat<float>()[i]),
                             std::abs(max.flat<float>()[i])));
  }
  return sizes;
}

Status RunRequantizePerChannel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  MR_RETURN_IF_ERROR(CheckChannels(
      x, ctx.input(1), ctx.input(2), ToldBy::kMin,
      "Current RequantizePerChannel operatorsupports 4D tensors only."));
  for (const int i : {3, 4}) {
    if (ctx.input(i).num_elements() != 1) {
      return InvalidArgument("requested_output_", i == 3 ? "min" : "max",
                             " must be a scalar");
    }
  }
  const Range to{ctx.input(3).scalar<float>(), ctx.input(4).scalar<float>()};
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  const bool is_signed = out->dtype() == DataType::kQint8;
  if (is_signed && !(to.min < 0)) {
    return InvalidArgument(
        "If out_type is QINT8, requested_output_max must be non negative, "
        "got ",
        to.min);
  }
  const float size = std::max(std::abs(to.min), std::abs(to.max));
  const int64_t depth = x.dim(3);
  // Repeats the scales, so that loops are long even for few channels.
  CountedVector<float> scales = ChannelSizes(ctx.input(1), ctx.input(2));
  for (float& s : scales) {
    s = (is_signed ? 127.0f : 255.0f) * (s / size / 0x1p31f);
  }
  const int64_t times = depth > 0 ? std::max<int64_t>(1, 256 / depth) : 0;
  for (int64_t i = depth; i < times * depth; ++i) {
    scales.push_back(scales[i - depth]);
  }
  const auto period = static_cast<int64_t>(scales.size());
  const auto* in = reinterpret_cast<const int32_t*>(x.data());
  MR_RETURN_IF_ERROR(Dispatch(Narrow{}, out->dtype(), [&]<class T>() -> Status {
    auto* z = reinterpret_cast<IntegerOf<T>*>(out->mutable_data());
    return ShardElements(
        ctx, x.num_elements(), 300, [&](int64_t begin, int64_t end) {
          while (begin < end) {
            const int64_t at = begin % period;
            const int64_t n = std::min(period - at, end - begin);
            ScaleChannels<T>(in + begin, &scales[at], z + begin, n);
            begin += n;
          }
        });
  }));
  return SetRange(ctx, 1, to);
}

class RangePerChannel {
 public:
  static StatusOr<RangePerChannel> Make(const KernelInit& init) {
    RangePerChannel k;
    MR_ASSIGN_OR_RETURN(k.clip_, init.Attr<float>("clip_value_max"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckChannels(x, ctx.input(1), ctx.input(2),
                                     ToldBy::kMax,
                                     "input must be in NHWC format."));
    const CountedVector<float> sizes = ChannelSizes(ctx.input(1), ctx.input(2));
    const auto depth = static_cast<int64_t>(sizes.size());
    CountedVector<int32_t> least(sizes.size(), Extremes().least);
    CountedVector<int32_t> most(sizes.size(), Extremes().most);
    const auto* in = reinterpret_cast<const int32_t*>(x.data());
    for (int64_t i = 0; i < x.num_elements(); i += depth) {
      WidenEach(in + i, least.data(), most.data(), depth);
    }
    float size = std::numeric_limits<float>::min();
    bool is_negative = false;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t largest =
          std::max(std::abs(int64_t{least[i]}), std::abs(int64_t{most[i]}));
      size = std::max(size, sizes[i] * static_cast<float>(largest) / 0x1p31f);
      is_negative |= least[i] < 0;
    }
    size = std::min(size, clip_);
    return SetRange(ctx, 0, {is_negative ? -size : 0.0f, size});
  }

 private:
  float clip_ = 0;
};

}  // namespace

template <class T>
void RequantizeSpan(const int32_t* x, Range from, Range to, IntegerOf<T>* z,
                    int64_t n) {
  if constexpr (std::is_same_v<T, Quint8>) {
    FixedSpan(x, FixedPoint(from, to), z, n);
  } else {
    FloatSpan(x, ToReal<Qint32>(from), ToSteps<T>(to), z, n);
  }
}
template void RequantizeSpan<Quint8>(const int32_t*, Range, Range, uint8_t*,
                                     int64_t);
template void RequantizeSpan<Qint8>(const int32_t*, Range, Range, int8_t*,
                                    int64_t);

MR_KERNELS(Requantize, Cpu){{.types = "Tinput: qint32; out_type: qint8, quint8",
                             .make = MakeFunctionKernel<RunRequantize>}};
MR_KERNELS(RequantizationRange, Cpu){
    {.types = "Tinput: qint32", .make = MakeFunctionKernel<RunRange>}};
MR_KERNELS(QuantizeDownAndShrinkRange,
           Cpu){{.types = "Tinput: qint32; out_type: quint8",
                 .make = MakeFunctionKernel<RunShrink>}};
MR_KERNELS(RequantizePerChannel,
           Cpu){{.types = "T: qint32; out_type: qint8, quint8",
                 .make = MakeFunctionKernel<RunRequantizePerChannel>}};
MR_KERNELS(RequantizationRangePerChannel,
           Cpu){{.types = "T: qint32", .make = MakeKernel<RangePerChannel>}};

}  // namespace millrace::ops
