// The loops of reductions over contiguous elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "millrace/base/target_clones.h"

namespace millrace::ops::internal {

// Rows of at least this many bytes are read as two streams: the hardware
// prefetches up to the end of a page for each of them. With four streams, Zen 5
// reads no faster than with one, or at a third of that speed.
inline constexpr int64_t kManyStreamBytes = 128 << 10;

template <class Op>
concept Chooses = requires {
  requires Op::kChooses;
};

// Lanes are accumulators side by side. Their loops stay loops, because the
// compiler makes vectors of a choice (Chooses) in loops only; where they are
// written out, it branches for each element.
template <class Op, int kLanes>
struct ReduceLanes {
  using Acc = typename Op::Acc;
  Acc lanes[kLanes];

  inline __attribute__((always_inline)) ReduceLanes() {
    for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Identity();
  }

  // Takes 4 elements a lane. The last two begin at `later`.
  template <class T>
  inline __attribute__((always_inline)) void TakeFour(const T* x,
                                                      const T* later) {
#pragma GCC unroll 1
    for (int l = 0; l < kLanes; ++l) {
      Acc a = Op::Take(lanes[l], x[l]);
      a = Op::Take(a, x[l + kLanes]);
      a = Op::Take(a, later[l]);
      lanes[l] = Op::Take(a, later[l + kLanes]);
    }
  }

  // Takes n elements, each lane its own.
  template <class T>
  inline __attribute__((always_inline)) void TakeEach(const T* x, int64_t n) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 1
      for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Take(lanes[l], x[i + l]);
    }
    for (int l = 0; i < n; ++i, ++l) lanes[l] = Op::Take(lanes[l], x[i]);
  }

  // Merges all lanes by halves. The sizes are written out for the compiler,
  // which makes vectors where they are constant.
  inline __attribute__((always_inline)) Acc Merged() {
    static_assert(kLanes % 8 == 0);
    for (int half = kLanes / 2; half >= 16; half /= 2) {
#pragma GCC unroll 1
      for (int l = 0; l < half; ++l) {
        lanes[l] = Op::Merge(lanes[l], lanes[l + half]);
      }
    }
    if constexpr (kLanes >= 16) {
#pragma GCC unroll 1
      for (int l = 0; l < 8; ++l) lanes[l] = Op::Merge(lanes[l], lanes[l + 8]);
    }
#pragma GCC unroll 1
    for (int l = 0; l < 4; ++l) lanes[l] = Op::Merge(lanes[l], lanes[l + 4]);
    return Op::Merge(Op::Merge(lanes[0], lanes[1]),
                     Op::Merge(lanes[2], lanes[3]));
  }
};

// acc[r] accumulates x[r * stride] ... x[r * stride + n - 1], for r < kRows.
template <class Op, int kRows, class T>
inline __attribute__((always_inline)) void TakeRows(const T* x, int64_t stride,
                                                    int64_t n,
                                                    typename Op::Acc* acc) {
  typename Op::Acc lanes[kRows];
  for (int l = 0; l < kRows; ++l) lanes[l] = acc[l];
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (Chooses<Op> && !std::is_integral_v<typename Op::Acc>) {
#pragma GCC unroll 1
      for (int l = 0; l < kRows; ++l) {
        lanes[l] = Op::Take(lanes[l], x[i + l * stride]);
      }
    } else {
#pragma GCC unroll 8
      for (int l = 0; l < kRows; ++l) {
        lanes[l] = Op::Take(lanes[l], x[i + l * stride]);
      }
    }
  }
  for (int l = 0; l < kRows; ++l) acc[l] = lanes[l];
}

// acc[r] accumulates x[r * stride] ... x[r * stride + n - 1], for r < rows.
template <class Op, class T>
MR_TARGET_CLONES void ReduceRows(const void* xv, int64_t stride, int64_t rows,
                                 int64_t n, void* accv) {
  using Acc = typename Op::Acc;
  // Long rows have enough lanes to hide the latency of an addition.
  constexpr int kWide = 256 / sizeof(Acc);
  constexpr int64_t kBlock = 4 * kWide;
  // Rows of a few vectors have fewer. Those of integers the compiler makes.
  constexpr bool kInOrder = !std::is_integral_v<Acc>;
  constexpr int kNarrow = sizeof(Acc) >= 8 ? 8 : 16;
  const T* x = static_cast<const T*>(xv);
  Acc* acc = static_cast<Acc*>(accv);
  int64_t r = 0;
  // Rows shorter than that are the lanes themselves: one row after another,
  // each element would wait for the one before it.
  constexpr int kRows = 8;
  for (; n < (kInOrder ? 2 * kNarrow : 32) && r + kRows <= rows; r += kRows) {
    TakeRows<Op, kRows>(x, stride, n, acc + r);
    x += kRows * stride;
  }
  for (; r < rows; ++r, x += stride) {
    Acc a = acc[r];
    if (n >= kBlock) {
      ReduceLanes<Op, kWide> wide;
      const bool streams =
          n >= kManyStreamBytes / static_cast<int64_t>(sizeof(T));
      const int64_t blocks = n / kBlock;
      const int64_t step = streams ? kBlock / 2 : kBlock;
      const T* const later = x + (streams ? blocks : 1) * (kBlock / 2);
      for (int64_t b = 0; b < blocks; ++b) {
        wide.TakeFour(x + b * step, later + b * step);
      }
      wide.TakeEach(x + blocks * kBlock, n - blocks * kBlock);
      a = Op::Merge(a, wide.Merged());
    } else if (kInOrder && n >= 2 * kNarrow) {
      ReduceLanes<Op, kNarrow> narrow;
      narrow.TakeEach(x, n);
      a = Op::Merge(a, narrow.Merged());
    } else {
      for (int64_t i = 0; i < n; ++i) a = Op::Take(a, x[i]);
    }
    acc[r] = a;
  }
}

}  // namespace millrace::ops::internal
