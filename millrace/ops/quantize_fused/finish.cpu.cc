#include "millrace/ops/quantize_fused/finish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Results are computed in blocks of this many numbers, as floats.
constexpr int64_t kFinishBlock = 1024;

// Computes v = x * scale + bias, where `scales` and `bias` have a number for
// each.
MR_TARGET_CLONES void ScaleSums(const int32_t* x, const float* scales,
                                const float* bias, float* v, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>(x[i]) * scales[i] + bias[i];
  }
}

template <class S>
MR_TARGET_CLONES void AddSummand(const S* x, float step, float* v, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) v[i] += static_cast<float>(x[i]) * step;
}

// Sets z to v * per_step, at least `least`, rounded to the nearest number of T,
// ties to even. NaN becomes the smallest.
template <class T>
MR_TARGET_CLONES void RoundSums(const float* v, float per_step, float least,
                                IntegerOf<T>* z, int64_t n) {
  constexpr auto kLow = static_cast<float>(Lowest<T>());
  // The largest float that fits an int32.
  constexpr auto kHigh =
      std::min(static_cast<float>(Highest<T>()), 2147483520.0f);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    float x = v[i] * per_step;
    x = x < least ? least : x;
    x = std::nearbyint(x);
    const bool is_high = x > kHigh;
    x = x > kLow ? x : kLow;
    x = is_high ? kHigh : x;
    const auto number = static_cast<int32_t>(x);
    z[i] = static_cast<IntegerOf<T>>(sizeof(IntegerOf<T>) == 4 && is_high
                                         ? std::numeric_limits<int32_t>::max()
                                         : number);
  }
}

void AddSummand(const FinishSpec& spec, int64_t begin, float* v, int64_t n) {
  const char* const data = spec.summand->data();
  switch (spec.summand->dtype()) {
    case DataType::kFloat:
      return AddSummand(reinterpret_cast<const float*>(data) + begin,
                        spec.summand_step, v, n);
    case DataType::kQint8:
      return AddSummand(reinterpret_cast<const int8_t*>(data) + begin,
                        spec.summand_step, v, n);
    default:
      return AddSummand(reinterpret_cast<const uint8_t*>(data) + begin,
                        spec.summand_step, v, n);
  }
}

// Repeats the numbers of all channels until there are kFinishBlock or more, so
// that loops are long even for few channels.
CountedVector<float> RepeatedChannels(const CountedVector<float>& once,
                                      size_t depth) {
  const size_t times = std::max<size_t>(1, kFinishBlock / depth);
  CountedVector<float> all;
  all.reserve(times * depth);
  for (size_t i = 0; i < times; ++i) {
    if (once.empty()) {
      all.resize(all.size() + depth, 0.0f);
    } else {
      all.insert(all.end(), once.begin(), once.end());
    }
  }
  return all;
}

}  // namespace

float SymmetricStep(Range r, DataType type) {
  return std::max(std::abs(r.min), std::abs(r.max)) /
         (type == DataType::kQuint8 ? 255.0f : 127.0f);
}

float SpreadStep(Range r, DataType type) {
  return (r.max - r.min) / (type == DataType::kQuint8 ? 255.0f : 254.0f);
}

Status ReadBias(KernelContext& ctx, int input, FinishSpec* spec) {
  const Tensor& bias = ctx.input(input);
  const size_t depth = spec->scales.size();
  if (bias.rank() != 1 || bias.num_elements() != static_cast<int64_t>(depth)) {
    return InvalidArgument("bias must be a vector of ", depth,
                           " numbers, but has shape ",
                           bias.shape().DebugString());
  }
  if (bias.dtype() == DataType::kFloat) {
    const absl::Span<const float> numbers = bias.flat<float>();
    spec->bias.assign(numbers.begin(), numbers.end());
    return OkStatus();
  }
  const auto* q = reinterpret_cast<const int32_t*>(bias.data());
  spec->bias.resize(depth);
  for (size_t i = 0; i < depth; ++i) {
    spec->bias[i] = static_cast<float>(q[i]) * spec->scales[i];
  }
  return OkStatus();
}

Status FinishSums(KernelContext& ctx, const FinishSpec& spec,
                  const int32_t* sums, Tensor* out) {
  const size_t depth = spec.scales.size();
  if (out->num_elements() == 0) return OkStatus();
  const float per_step = 1.0f / spec.out_step;
  const CountedVector<float> scales = RepeatedChannels(spec.scales, depth);
  const CountedVector<float> bias = RepeatedChannels(spec.bias, depth);
  const auto period = static_cast<int64_t>(scales.size());
  return Dispatch<Quint8, Qint8, Qint32>(
      out->dtype(), [&]<class T>() -> Status {
        const float least =
            spec.relu ? 0.0f : -std::numeric_limits<float>::infinity();
        auto* to = reinterpret_cast<IntegerOf<T>*>(out->mutable_data());
        return ShardElements(
            ctx, out->num_elements(), 500, [&](int64_t begin, int64_t end) {
              float block[kFinishBlock];
              while (begin < end) {
                const int64_t at = begin % period;
                const int64_t n =
                    std::min({kFinishBlock, period - at, end - begin});
                ScaleSums(sums + begin, &scales[static_cast<size_t>(at)],
                          &bias[static_cast<size_t>(at)], block, n);
                if (spec.summand != nullptr) {
                  AddSummand(spec, begin, block, n);
                }
                RoundSums<T>(block, per_step, least, to + begin, n);
                begin += n;
              }
            });
      });
}

}  // namespace millrace::ops
