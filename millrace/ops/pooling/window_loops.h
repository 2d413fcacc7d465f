// Loops of pooling over the channels of one window. The pixels that a window
// covers are given in order, each as the place of its first channel relative to
// x (or dx). A call handles all channels of a window, so that the result for a
// channel stays in a register over the pixels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/types/span.h"
#include "millrace/base/target_clones.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/pooling/lanes.h"
#include "millrace/ops/pooling/pool_overlap.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

// Returns the maximum of a window that covers nothing: the lowest finite value.
template <class T>
T LowestOf() {
  if constexpr (std::is_same_v<T, Half>) return T(-65504.0f);
  if constexpr (std::is_same_v<T, Bfloat16>) return T(-3.38953139e38f);
  return static_cast<T>(std::numeric_limits<ComputeType<T>>::lowest());
}

// Sets z to the largest elements. Starts with LowestOf and replaces it, in
// order, by what is larger; thus NaN and -infinity are never the result.
template <class T>
MR_TARGET_CLONES void MaxOfWindow(const T* x, absl::Span<const int64_t> places,
                                  int64_t n, T* z) {
  using S = ComputeType<T>;  // half and bfloat16 are compared as floats
  const S lowest = static_cast<S>(LowestOf<T>());
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S best[kLanes];
    for (int k = 0; k < kLanes; ++k) best[k] = lowest;
    for (const int64_t place : places) {
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

// Sets offset[k] to the argmax offset, where x[places[offset] + k] is largest;
// the first of several. Starts with the first element and replaces it, in
// order, by what is larger; thus a NaN that comes first stays. Requires at
// least one place. `largest` is set as by MaxOfWindow.
template <class T, int kLanes>
MR_LANES inline void FindOffsetsInLanes(const T* x,
                                        absl::Span<const int64_t> places,
                                        int32_t (&offset)[kLanes],
                                        ComputeType<T> (&largest)[kLanes]) {
  using S = ComputeType<T>;
  const S lowest = static_cast<S>(LowestOf<T>());
  S best[kLanes];
  const T* const first = x + places[0];
#pragma GCC unroll 4
  for (int k = 0; k < kLanes; ++k) {
    best[k] = static_cast<S>(first[k]);
    largest[k] = lowest < best[k] ? best[k] : lowest;
    offset[k] = 0;
  }
  const auto pixels = static_cast<int32_t>(places.size());
  for (int32_t t = 1; t < pixels; ++t) {
    const T* const from = x + places[static_cast<size_t>(t)];
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) {
      const S v = static_cast<S>(from[k]);
      const int32_t take = -int32_t{best[k] < v};  // no branch: all bits or 0
      best[k] = best[k] < v ? v : best[k];
      largest[k] = largest[k] < v ? v : largest[k];
      offset[k] = (t & take) | (offset[k] & ~take);
    }
  }
}

// Sets `index` to `first` + the places of the largest elements of n channels.
template <class T>
MR_TARGET_CLONES void LargestOfWindow(const T* x,
                                      absl::Span<const int64_t> places,
                                      int64_t n, int64_t first,
                                      int64_t* index) {
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    ComputeType<T> largest[kLanes];
    int32_t offset[kLanes];
    FindOffsetsInLanes<T, kLanes>(x + c, places, offset, largest);
    for (int k = 0; k < kLanes; ++k) {
      index[c + k] = first + places[static_cast<size_t>(offset[k])] + c + k;
    }
  });
}

// Sets `offsets` to the argmax offsets, and z as MaxOfWindow does unless it is
// null.
template <class T, class I>
MR_LANES inline void FindMaxAndOffsets(const T* x,
                                       absl::Span<const int64_t> places,
                                       int64_t n, T* z, I* offsets) {
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    ComputeType<T> largest[kLanes];
    int32_t offset[kLanes];
    FindOffsetsInLanes<T, kLanes>(x + c, places, offset, largest);
    for (int k = 0; k < kLanes; ++k) offsets[c + k] = static_cast<I>(offset[k]);
    if (z == nullptr) return;
    for (int k = 0; k < kLanes; ++k) z[c + k] = static_cast<T>(largest[k]);
  });
}
template <class T>
MR_TARGET_CLONES void MaxAndOffsets(const T* x,
                                    absl::Span<const int64_t> places, int64_t n,
                                    T* z, uint8_t* offsets) {
  FindMaxAndOffsets(x, places, n, z, offsets);
}
// For windows of more than 256 pixels, which are rare; clones for three targets
// and each type would take the compiler ten seconds.
template <class T>
void MaxAndOffsets(const T* x, absl::Span<const int64_t> places, int64_t n,
                   T* z, int32_t* offsets) {
  FindMaxAndOffsets(x, places, n, z, offsets);
}

// Sets z to the sum of dy over those windows over a pixel whose largest element
// it is, by their argmax offsets.
template <class T, class I>
MR_LANES inline void AddWhereOffset(const T* dy, const I* offsets,
                                    absl::Span<const WindowOver> windows,
                                    int64_t n, T* z) {
  using S = ComputeType<T>;
  if (windows.empty()) {
    std::fill_n(z, n, T(0));
    return;
  }
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    T* const to = z + c;
    bool is_first = true;
    for (const WindowOver& window : windows) {
      const T* const from = dy + window.place + c;
      const I* const offset = offsets + window.place + c;
      const auto own = static_cast<I>(window.offset);
      if (is_first) {
#pragma GCC ivdep
        for (int k = 0; k < kLanes; ++k) {
          to[k] = offset[k] == own ? from[k] : T(0);
        }
        is_first = false;
        continue;
      }
#pragma GCC ivdep
      for (int k = 0; k < kLanes; ++k) {
        const T sum = static_cast<T>(
            Plus<S>(static_cast<S>(to[k]), static_cast<S>(from[k])));
        to[k] = offset[k] != own ? to[k] : sum;
      }
    }
  });
}
template <class T>
MR_TARGET_CLONES void SumWhereOffset(const T* dy, const uint8_t* offsets,
                                     absl::Span<const WindowOver> windows,
                                     int64_t n, T* z) {
  AddWhereOffset(dy, offsets, windows, n, z);
}
template <class T>
void SumWhereOffset(const T* dy, const int32_t* offsets,
                    absl::Span<const WindowOver> windows, int64_t n, T* z) {
  AddWhereOffset(dy, offsets, windows, n, z);
}

// Sets z to the sum over the pixels of a window, multiplied by `factor`.
template <class T>
MR_TARGET_CLONES void ScaledSumOfWindow(const T* x,
                                        absl::Span<const int64_t> places,
                                        ComputeType<T> factor, int64_t n,
                                        T* z) {
  using S = ComputeType<T>;
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S sums[kLanes];
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) sums[k] = S(0);
    for (const int64_t place : places) {
      const T* const from = x + place + c;
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) sums[k] += static_cast<S>(from[k]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) {
      z[c + k] = static_cast<T>(sums[k] * factor);
    }
  });
}

// Sets z to weighted sums for `pixels` pixels of n channels, one after the
// other; the places and weights of pixel i end at ends[i].
template <class T>
MR_TARGET_CLONES void WeightedSumsOfPixels(const T* x, const int64_t* places,
                                           const ComputeType<T>* weights,
                                           const int64_t* ends, int64_t pixels,
                                           int64_t n, T* z) {
  using S = ComputeType<T>;
  int64_t begin = 0;
  for (int64_t i = 0; i < pixels; ++i, z += n) {
    const int64_t end = ends[i];
    ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
      S sums[kLanes];
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) sums[k] = S(0);
      for (int64_t t = begin; t < end; ++t) {
        const T* const from = x + places[t] + c;
        const S weight = weights[t];
#pragma GCC unroll 4
        for (int k = 0; k < kLanes; ++k) {
          sums[k] += static_cast<S>(from[k]) * weight;
        }
      }
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) z[c + k] = static_cast<T>(sums[k]);
    });
    begin = end;
  }
}

}  // namespace millrace::ops
