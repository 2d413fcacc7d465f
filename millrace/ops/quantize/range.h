// The mapping between quantized and real numbers: [min, max] is spread evenly
// over all numbers of the type. The conversions round as stock's do, in the
// precision in which stock computes each; NaN and numbers that do not fit an
// integer become the smallest integer, as on x86.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/numeric_types.h"

namespace millrace::ops {

// The plain integer of a quantized type.
template <class T>
using IntegerOf = typename T::Integer;

template <class T>
constexpr int64_t Lowest() {
  return std::numeric_limits<IntegerOf<T>>::min();
}
template <class T>
constexpr int64_t Highest() {
  return std::numeric_limits<IntegerOf<T>>::max();
}
// Returns one less than the number of values of T.
template <class T>
constexpr int64_t Span() {
  return Highest<T>() - Lowest<T>();
}

// Truncate towards zero.
inline int32_t ToInt32(float x) {
  return x >= -0x1p31f && x < 0x1p31f ? static_cast<int32_t>(x)
                                      : std::numeric_limits<int32_t>::min();
}
inline int64_t ToInt64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x)
                                    : std::numeric_limits<int64_t>::min();
}

struct Range {
  float min = 0, max = 0;
};

// Returns the quantized number of x, which may lie beyond the range of T.
// Returns the smallest of T for an empty range.
template <class T>
int64_t QuantizeUnclamped(float x, Range r) {
  if (r.min == r.max) return Lowest<T>();
  constexpr double kSteps = static_cast<double>(Span<T>()) + 1;
  constexpr double kAdjust = kSteps / (kSteps - 1);
  const double scale = kSteps / (static_cast<double>(r.max - r.min) * kAdjust);
  const int64_t steps =
      ToInt64(std::round(x * scale) - std::round(r.min * scale));
  return static_cast<int64_t>(static_cast<uint64_t>(steps) +
                              static_cast<uint64_t>(Lowest<T>()));
}

// Returns the quantized number of 0, of which stock keeps the lowest 32 bits.
template <class T>
int32_t ZeroOf(Range r) {
  return static_cast<int32_t>(QuantizeUnclamped<T>(0.0f, r));
}

template <class T>
IntegerOf<T> Quantize(float x, Range r) {
  return static_cast<IntegerOf<T>>(
      std::clamp(QuantizeUnclamped<T>(x, r), Lowest<T>(), Highest<T>()));
}

// Returns the real number that q represents.
template <class T>
float Dequantize(IntegerOf<T> q, Range r) {
  if (r.min == r.max) return r.min;
  constexpr double kSteps = static_cast<double>(Span<T>()) + 1;
  constexpr double kAdjust = kSteps / (kSteps - 1);
  const double scale = static_cast<double>(r.max - r.min) * kAdjust / kSteps;
  const auto rough = static_cast<float>(scale);
  const double first = std::round(r.min / rough) * rough;  // in float
  return static_cast<float>(
      first +
      (static_cast<double>(q) - static_cast<double>(Lowest<T>())) * scale);
}

// Does the same in float, for loops over many numbers: q represents offset + q
// * scale.
template <class T>
struct ToReal {
  float scale, offset;

  explicit ToReal(Range r) {
    scale = static_cast<float>(static_cast<double>(r.max - r.min) /
                               static_cast<double>(Span<T>()));
    const float first =
        r.max == r.min ? r.min : std::round(r.min / scale) * scale;
    offset = first - static_cast<float>(Lowest<T>()) * scale;
  }
  float operator()(IntegerOf<T> q) const {
    return offset + static_cast<float>(q) * scale;
  }
};
template <class T>
struct ToSteps {
  float scale, offset;

  explicit ToSteps(Range r) {
    scale = r.max == r.min ? 0.0f
                           : static_cast<float>(static_cast<double>(Span<T>()) /
                                                (r.max - r.min));
    offset = std::round(r.min * scale) - static_cast<float>(Lowest<T>());
  }
  // Returns an int32, of which the narrower types take the lowest bits.
  int32_t operator()(float x) const {
    // The largest float that fits an int32.
    constexpr float kHigh =
        std::min(static_cast<float>(Highest<T>()), 2147483520.0f);
    constexpr float kLow = static_cast<float>(Lowest<T>());
    float v = std::round(x * scale) - offset;
    v = v < kLow ? kLow : v;
    v = kHigh < v ? kHigh : v;
    return ToInt32(v);
  }
};

// Returns the range of a sum of products of numbers of A and B, kept in qint32.
template <class A, class B>
Range RangeOfProducts(Range a, Range b) {
  const float level_a = (a.max - a.min) / static_cast<float>(Span<A>());
  const float level_b = (b.max - b.min) / static_cast<float>(Span<B>());
  const float level = level_a * level_b;
  return {level * static_cast<float>(Lowest<Qint32>()),
          level * static_cast<float>(Highest<Qint32>())};
}

// Returns the inputs `min` and `max`, which must be scalars. Returns
// INVALID_ARGUMENT "`NAME` must be rank 0 but is rank 1" otherwise, with the
// inputs' names or the given ones.
StatusOr<Range> RangeInput(KernelContext& ctx, int min, int max);
StatusOr<Range> RangeInput(KernelContext& ctx, int min, int max,
                           const std::string& min_name,
                           const std::string& max_name);
// Does the same, with the error "NAME must be a scalar, but got shape [1]".
StatusOr<Range> ScalarRangeInput(KernelContext& ctx, int min, int max);
// Does the same for ops that also take tensors of one element of any rank, with
// the error INVALID_ARGUMENT "NAME_min must have 1 element".
StatusOr<Range> OneElementRange(KernelContext& ctx, int min, int max,
                                absl::string_view name);
// Sets outputs `first` and `first` + 1 to the ends of the range.
Status SetRange(KernelContext& ctx, int first, Range r);

}  // namespace millrace::ops
