// Loops of pooling over the channels of one window. A window's taps are the
// pixels that it covers, in order, each given as the place of its first channel
// behind x (or dx). Called with a window's channels at once: what a channel
// gathers over the taps stays in a register.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "millrace/base/target_clones.h"
#include "millrace/ops/math/numbers.h"
#include "millrace/ops/nn/lanes.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

// tap[k] = the number of the tap where x[places[tap] + k] is largest, the first
// of several: in order, what is larger than the last one, so a NaN that comes
// first stays. -1 without taps.
template <class T, int kLanes>
MR_LANES inline void FindTaps(const T* x, absl::Span<const int64_t> places,
                              int32_t (&tap)[kLanes]) {
  using S = ComputeType<T>;
  S best[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    best[k] = std::numeric_limits<S>::lowest();
    tap[k] = -1;
  }
  const auto taps = static_cast<int32_t>(places.size());
  for (int32_t t = 0; t < taps; ++t) {
    const T* const from = x + places[static_cast<size_t>(t)];
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) {
      const S v = static_cast<S>(from[k]);
      // Without branches, for vectors of lanes.
      const bool take = (int{v > best[k]} | int{tap[k] < 0}) != 0;
      best[k] = take ? v : best[k];
      tap[k] = take ? t : tap[k];
    }
  }
}

// z = the largest of one tap or more: in order, what is larger than the last
// one, so a NaN that comes first stays.
template <class T>
MR_TARGET_CLONES void MaxOfTaps(const T* x, absl::Span<const int64_t> places,
                                int64_t n, T* z) {
  using S = ComputeType<T>;  // half and bfloat16 are compared as floats
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S best[kLanes];
    for (int k = 0; k < kLanes; ++k) {
      best[k] = static_cast<S>(x[places[0] + c + k]);
    }
    for (const int64_t place : places.subspan(1)) {
      const T* const from = x + place + c;
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) {
        const S v = static_cast<S>(from[k]);
        best[k] = best[k] < v ? v : best[k];
      }
    }
    for (int k = 0; k < kLanes; ++k) z[c + k] = static_cast<T>(best[k]);
  });
}

// `first` + the places of the largest elements of n channels; -1 where there is
// none.
template <class T>
MR_TARGET_CLONES void LargestOfTaps(const T* x,
                                    absl::Span<const int64_t> places, int64_t n,
                                    int64_t first, int64_t* index) {
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    int32_t tap[kLanes];
    FindTaps<T, kLanes>(x + c, places, tap);
    for (int k = 0; k < kLanes; ++k) {
      index[c + k] =
          tap[k] < 0 ? -1 : first + places[static_cast<size_t>(tap[k])] + c + k;
    }
  });
}

// dx += dy where x is largest. The taps of both are the same places.
template <class T>
MR_TARGET_CLONES void GradOfTaps(const T* x, const T* dy,
                                 absl::Span<const int64_t> places, int64_t n,
                                 T* dx) {
  using S = ComputeType<T>;
  const auto taps = static_cast<int32_t>(places.size());
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    int32_t tap[kLanes];
    FindTaps<T, kLanes>(x + c, places, tap);
    S grad[kLanes];
    for (int k = 0; k < kLanes; ++k) grad[k] = static_cast<S>(dy[c + k]);
    for (int32_t t = 0; t < taps; ++t) {
      T* const to = dx + places[static_cast<size_t>(t)] + c;
      for (int k = 0; k < kLanes; ++k) {
        const S v = static_cast<S>(to[k]);
        to[k] = static_cast<T>(tap[k] == t ? Plus<S>(v, grad[k]) : v);
      }
    }
  });
}

// z = the sum over taps, times `factor`.
template <class T>
MR_TARGET_CLONES void ScaledSumOfTaps(const T* x,
                                      absl::Span<const int64_t> places,
                                      ComputeType<T> factor, int64_t n, T* z) {
  using S = ComputeType<T>;
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S sums[kLanes] = {};
    for (const int64_t place : places) {
      const T* const from = x + place + c;
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) sums[k] += static_cast<S>(from[k]);
    }
    for (int k = 0; k < kLanes; ++k) {
      z[c + k] = static_cast<T>(sums[k] * factor);
    }
  });
}

// z = the sum over taps, each times its weight.
template <class T>
MR_TARGET_CLONES void WeightedSumOfTaps(const T* x,
                                        absl::Span<const int64_t> places,
                                        const ComputeType<T>* weights,
                                        int64_t n, T* z) {
  using S = ComputeType<T>;
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S sums[kLanes] = {};
    for (size_t t = 0; t < places.size(); ++t) {
      const T* const from = x + places[t] + c;
      const S weight = weights[t];
      for (int k = 0; k < kLanes; ++k) {
        sums[k] += static_cast<S>(from[k]) * weight;
      }
    }
    for (int k = 0; k < kLanes; ++k) z[c + k] = static_cast<T>(sums[k]);
  });
}

}  // namespace millrace::ops
