// Loops that find the places of largest and smallest elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "millrace/base/target_clones.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/reduction/reduce_rows.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

enum class Best { kLargest, kSmallest };

// The columns that are searched together.
inline constexpr int64_t kArgTile = 256;
// Rows shorter than this are searched side by side, as columns.
inline constexpr int64_t kShortArgRow = 32;

// An element stays the best until a better one comes, beginning with the worst
// finite number: NaN and infinities of the other end are never best, and a line
// that consists of them gives 0.
template <class T, Best kBest>
struct BestOp {
  using Acc = ComputeType<T>;
  static constexpr bool kChooses = true;
  static Acc Identity() {
    if constexpr (std::is_same_v<T, Half>) {
      return kBest == Best::kLargest ? -65504.0f : 65504.0f;
    } else if constexpr (std::is_same_v<T, Bfloat16>) {
      return kBest == Best::kLargest ? -0x1.fep127f : 0x1.fep127f;
    } else {
      using Limits = std::numeric_limits<T>;
      return kBest == Best::kLargest ? Limits::lowest() : Limits::max();
    }
  }
  static bool IsBetter(Acc x, Acc than) {
    return kBest == Best::kLargest ? than < x : x < than;
  }
  static Acc Merge(Acc a, Acc b) { return IsBetter(b, a) ? b : a; }
  static Acc Take(Acc a, Acc x) { return Merge(a, x); }
};

// Finds the places of the best elements in n columns of `rows` rows. Columns
// are `apart` elements apart: 1 where kBesides.
template <class T, Best kBest, class Index, bool kBesides>
MR_TARGET_CLONES void BestOfColumns(const T* x, int64_t stride, int64_t apart,
                                    int64_t rows, int64_t n, int64_t* place) {
  using Op = BestOp<T, kBest>;
  using C = typename Op::Acc;
  C best[kArgTile];
  Index index[kArgTile];
  for (int64_t j = 0; j < n; ++j) best[j] = Op::Identity();
  for (int64_t j = 0; j < n; ++j) index[j] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * stride;
    for (int64_t j = 0; j < n; ++j) {
      const C v = static_cast<C>(row[kBesides ? j : j * apart]);
      const bool better = Op::IsBetter(v, best[j]);
      best[j] = better ? v : best[j];
      index[j] = better ? static_cast<Index>(r) : index[j];
    }
  }
  for (int64_t j = 0; j < n; ++j) place[j] = index[j];
}

// Returns the best of n elements; the identity if none is better than that.
template <class Op, class C>
MR_TARGET_CLONES C BestOf(const C* x, int64_t n) {
  constexpr int kWide = 256 / sizeof(C);
  constexpr int64_t kStep = 4 * kWide;
  if (n < kStep) {
    internal::ReduceLanes<Op, 16> narrow;
    narrow.TakeEach(x, n);
    return narrow.Merged();
  }
  internal::ReduceLanes<Op, kWide> wide;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) wide.TakeFour(x + i, x + i + kStep / 2);
  wide.TakeEach(x + i, n - i);
  return wide.Merged();
}

// Returns the first place of `value`, which is there.
template <class C>
MR_TARGET_CLONES int64_t FirstPlaceOf(const C* x, int64_t n, C value) {
  constexpr int32_t kChunk = 128;
  for (int64_t at = 0;; at += kChunk) {
    const auto m = static_cast<int32_t>(std::min<int64_t>(kChunk, n - at));
    int32_t first = kChunk;
    for (int32_t i = 0; i < m; ++i) {
      const int32_t here = x[at + i] == value ? i : kChunk;
      first = here < first ? here : first;
    }
    if (first < kChunk || at + kChunk >= n) return at + first;
  }
}

// Returns the place of the best of n contiguous elements. Each block is still
// in a cache when its best element is looked for.
template <class T, Best kBest>
int64_t BestOfRow(const T* x, int64_t n) {
  using Op = BestOp<T, kBest>;
  using C = typename Op::Acc;
  constexpr bool kConverts = ComputesInFloat(DataTypeOf<T>);
  constexpr int64_t kBlock = kConverts ? kFloatBlock : 4096;
  C converted[kConverts ? kBlock : 1];
  C best = Op::Identity();
  int64_t place = 0;
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t m = std::min(kBlock, n - at);
    const C* block = converted;
    if constexpr (kConverts) {
      ToFloats(DataTypeOf<T>, x + at, converted, m);
    } else {
      block = x + at;
    }
    const C here = BestOf<Op>(block, m);
    if (!Op::IsBetter(here, best)) continue;
    best = here;
    place = at + FirstPlaceOf(block, m, best);
  }
  return place;
}

}  // namespace millrace::ops
