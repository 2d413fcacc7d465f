#include "millrace/ops/image/rows/sum_rows.h"

#include <algorithm>
#include <cstring>

#include "millrace/base/target_clones.h"

namespace millrace::ops {
namespace {

#define MR_INLINE inline __attribute__((always_inline))

template <int kBytes>
struct FloatVector {
  typedef float Type __attribute__((vector_size(kBytes)));
};

// Sums as many channels as a vector has.
template <int kCount, int kBytes>
MR_INLINE void SumChannels(const Tap* taps, int64_t count, int64_t channels,
                           const float* row, float* out) {
  using V = typename FloatVector<kBytes>::Type;
  const int64_t n = kCount == 0 ? count : kCount;
  V sum = {};
#pragma GCC unroll 4
  for (int64_t j = 0; j < n; ++j) {
    V pixel;
    std::memcpy(&pixel, row + taps[j].place * channels, sizeof(V));
    // The first product is the sum, so that -0 stays as it is.
    sum = j == 0 ? pixel * taps[j].weight : sum + pixel * taps[j].weight;
  }
  std::memcpy(out, &sum, sizeof(V));
}

// What a vector has beyond the last channel is overwritten by the next pixel.
template <int kCount>
MR_INLINE void Sum(const RowTaps& taps, int64_t channels, const float* row,
                   float* out) {
  const int64_t size = taps.size();
  const int64_t* const first = taps.first.data();
  const Tap* const all = taps.taps.data();
  for (int64_t x = 0; x < size; ++x) {
    const Tap* const from = all + (kCount == 0 ? first[x] : x * kCount);
    const int64_t count = kCount == 0 ? first[x + 1] - first[x] : kCount;
    float* const to = out + x * channels;
    int64_t c = 0;
    for (; c + 16 <= channels; c += 16) {
      SumChannels<kCount, 64>(from, count, channels, row + c, to + c);
    }
    for (; c < channels; c += 4) {
      SumChannels<kCount, 16>(from, count, channels, row + c, to + c);
    }
  }
}

}  // namespace

RowTaps::RowTaps(const Axis& axis) {
  int64_t least = 4, most = 0;
  const auto size = static_cast<size_t>(axis.size());
  CountedVector<int64_t> counts(size);
  for (size_t i = 0; i < size; ++i) {
    for (int64_t k = axis.first[i]; k < axis.first[i + 1]; ++k) {
      counts[i] += axis.taps[static_cast<size_t>(k)].weight != 0;
    }
    most = std::max(most, counts[i]);
    least = std::min(least, counts[i]);
  }
  if (least > 0 && most <= 4) count = most <= 2 ? static_cast<int>(most) : 4;
  first.reserve(size + 1);
  first.push_back(0);
  for (size_t i = 0; i < size; ++i) {
    const auto begin = static_cast<size_t>(first.back());
    for (int64_t k = axis.first[i]; k < axis.first[i + 1]; ++k) {
      const Tap& tap = axis.taps[static_cast<size_t>(k)];
      if (tap.weight != 0) taps.push_back(tap);
    }
    while (static_cast<int64_t>(taps.size() - begin) < count) {
      Tap half = taps[begin];
      half.weight /= 2;
      taps[begin] = half;
      taps.push_back(half);
    }
    first.push_back(static_cast<int64_t>(taps.size()));
    if (begin == taps.size()) continue;
    const auto [low, high] = std::minmax_element(
        taps.begin() + static_cast<ptrdiff_t>(begin), taps.end(),
        [](const Tap& a, const Tap& b) { return a.place < b.place; });
    span = std::max(span, high->place - low->place + 1);
  }
}

MR_TARGET_CLONES void SumPixels(const RowTaps& taps, int64_t channels,
                                const float* row, float* out) {
  switch (taps.count) {
    case 1:
      return Sum<1>(taps, channels, row, out);
    case 2:
      return Sum<2>(taps, channels, row, out);
    case 4:
      return Sum<4>(taps, channels, row, out);
    default:
      return Sum<0>(taps, channels, row, out);
  }
}

MR_TARGET_CLONES void SumRows(const WeightedRow* rows, int64_t count, bool add,
                              int64_t n, float* out) {
  // Rows that are missing have no weight, and are not read.
  const float* const __restrict a = rows[0].row;
  const float* const __restrict b = count > 1 ? rows[1].row : nullptr;
  const float u = rows[0].weight, v = count > 1 ? rows[1].weight : 0;
  float* const __restrict z = out;
  if (add) {
    for (int64_t j = 0; j < count; ++j) {
      const float* const __restrict row = rows[j].row;
      const float weight = rows[j].weight;
      for (int64_t i = 0; i < n; ++i) z[i] += row[i] * weight;
    }
  } else if (count == 1) {
    for (int64_t i = 0; i < n; ++i) z[i] = a[i] * u;
  } else if (count == 2) {
    for (int64_t i = 0; i < n; ++i) z[i] = a[i] * u + b[i] * v;
  } else if (count == 3) {
    const float* const __restrict c = rows[2].row;
    const float w = rows[2].weight;
    for (int64_t i = 0; i < n; ++i) z[i] = a[i] * u + b[i] * v + c[i] * w;
  } else {
    const float* const __restrict c = rows[2].row;
    const float* const __restrict d = rows[3].row;
    const float w = rows[2].weight, x = rows[3].weight;
    for (int64_t i = 0; i < n; ++i) {
      z[i] = (a[i] * u + b[i] * v) + (c[i] * w + d[i] * x);
    }
  }
}

#undef MR_INLINE

}  // namespace millrace::ops
