// LineKernels as loops over vectors of kBytes. The including file must define
// the instruction set, since the target of a function cannot be a template
// parameter, and vectors that are wider than those of the target stay in
// memory.
//
// Sums have the same order with all widths: lanes are those of 64 bytes.
#pragma once

#include <type_traits>

#include "millrace/ops/linalg/lines.h"

// The default is for tools that read this file alone.
#ifndef MR_LOOPS_TARGET
#define MR_LOOPS_TARGET
#endif
#define MR_LOOPS_INLINE MR_LOOPS_TARGET __attribute__((always_inline)) inline

namespace millrace::ops {

template <class R, int kBytes>
class LineLoops {
 public:
  static constexpr LineKernels<R> Kernels() {
    return {Dot,         CrossedDot,      AddTimes,         PairsAddTimes,
            Rotate,      RotateChain,     AddTwoAndCollect, AddTimesAndSum,
            SubtractTwo, SubtractTile<1>, SubtractTile<2>};
  }

 private:
  using Index = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
  typedef R Vector
      __attribute__((vector_size(kBytes), aligned(alignof(R)), may_alias));
  typedef Index Mask __attribute__((vector_size(kBytes)));

  static constexpr int kLanes = kBytes / sizeof(R);  // of a vector
  static constexpr int kWide = 64 / sizeof(R);       // of what is looped over
  static constexpr int kParts = 64 / kBytes;         // vectors of that

  MR_LOOPS_INLINE static const Vector& At(const R* x) {
    return *reinterpret_cast<const Vector*>(x);
  }
  MR_LOOPS_INLINE static Vector& At(R* x) {
    return *reinterpret_cast<Vector*>(x);
  }

  // An array that is initialized by = {} would stay in memory.
  template <size_t kCount>
  MR_LOOPS_INLINE static void Clear(Vector (&vectors)[kCount]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; ++i) vectors[i] = Vector{};
  }

  // Vectors are not returned: how that is done depends on the processor.

  // Exchanges real and imaginary parts.
  MR_LOOPS_INLINE static void Swap(const Vector& v, Vector* out) {
    Mask pairs;
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) pairs[k] = k ^ 1;
    *out = __builtin_shuffle(v, pairs);
  }
  // Sets `v` to (-i, i, ...), the factors of what Swap gives in a product by an
  // imaginary number.
  MR_LOOPS_INLINE static void Signs(R i, Vector* v) {
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) (*v)[k] = k % 2 == 0 ? -i : i;
  }

  template <bool kCrossed>
  MR_LOOPS_INLINE static R Sums(const R* x, const R* y, int64_t n, R* crossed) {
    Vector plain[2 * kParts], cross[2 * kParts];
    Clear(plain);
    Clear(cross);
    int64_t i = 0;
    for (; i + 2 * kWide <= n; i += 2 * kWide) {
#pragma GCC unroll 8
      for (int k = 0; k < 2 * kParts; ++k) {
        const Vector a = At(x + i + k * kLanes), b = At(y + i + k * kLanes);
        plain[k] += a * b;
        if constexpr (kCrossed) {
          Vector swapped;
          Swap(b, &swapped);
          cross[k] += a * swapped;
        }
      }
    }
    R sum = 0, turned = 0;
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) {
      plain[p] += plain[p + kParts];
#pragma GCC unroll 16
      for (int k = 0; k < kLanes; ++k) sum += plain[p][k];
      if constexpr (kCrossed) {
        cross[p] += cross[p + kParts];
#pragma GCC unroll 16
        for (int k = 0; k < kLanes; k += 2)
          turned += cross[p][k] - cross[p][k + 1];
      }
    }
    for (; i < n; ++i) {
      sum += x[i] * y[i];
      if constexpr (kCrossed) {
        turned += i % 2 == 0 ? x[i] * y[i + 1] : -x[i] * y[i - 1];
      }
    }
    if constexpr (kCrossed) *crossed = turned;
    return sum;
  }

  MR_LOOPS_TARGET static R Dot(const R* x, const R* y, int64_t n) {
    return Sums<false>(x, y, n, nullptr);
  }
  MR_LOOPS_TARGET static R CrossedDot(const R* x, const R* y, int64_t n,
                                      R* crossed) {
    return Sums<true>(x, y, n, crossed);
  }

  MR_LOOPS_TARGET static void AddTimes(R factor, const R* x, int64_t n, R* y) {
    int64_t i = 0;
    for (; i + kWide <= n; i += kWide) {
#pragma GCC unroll 4
      for (int64_t k = i; k < i + kWide; k += kLanes)
        At(y + k) += At(x + k) * factor;
    }
    for (; i < n; ++i) y[i] += x[i] * factor;
  }
  MR_LOOPS_TARGET static void PairsAddTimes(R re, R im, const R* x, int64_t n,
                                            R* y) {
    Vector signs, swapped;
    Signs(im, &signs);
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector a = At(x + i);
      Swap(a, &swapped);
      At(y + i) += a * re + swapped * signs;
    }
    for (; i < n; i += 2) {
      const R a = x[i], b = x[i + 1];
      y[i] += re * a - im * b;
      y[i + 1] += re * b + im * a;
    }
  }

  MR_LOOPS_TARGET static void Rotate(R c, R s, int64_t n, R* x, R* y) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector a = At(x + i), b = At(y + i);
      At(x + i) = a * c - b * s;
      At(y + i) = a * s + b * c;
    }
    for (; i < n; ++i) {
      const R a = x[i], b = y[i];
      x[i] = a * c - b * s;
      y[i] = a * s + b * c;
    }
  }

  // The row between two rotations stays in registers.
  MR_LOOPS_TARGET static void RotateChain(const RotationFactors<R>* factors,
                                          int64_t count, int64_t n,
                                          int64_t stride, R* x) {
    constexpr int kVectors = 4;
    int64_t i = 0;
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      R* row = x + i;
      Vector moving[kVectors];
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) moving[k] = At(row + k * kLanes);
      for (int64_t j = 0; j < count; ++j, row += stride) {
        const R c = factors[j].c, s = factors[j].s;
#pragma GCC unroll 4
        for (int k = 0; k < kVectors; ++k) {
          const Vector next = At(row + stride + k * kLanes);
          At(row + k * kLanes) = moving[k] * c - next * s;
          moving[k] = moving[k] * s + next * c;
        }
      }
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) At(row + k * kLanes) = moving[k];
    }
    for (; i < n; ++i) {
      R* row = x + i;
      R moving = *row;
      for (int64_t j = 0; j < count; ++j, row += stride) {
        const R c = factors[j].c, s = factors[j].s;
        const R next = row[stride];
        *row = moving * c - next * s;
        moving = moving * s + next * c;
      }
      *row = moving;
    }
  }

  MR_LOOPS_TARGET static void AddTwoAndCollect(R a, const R* u, R b, const R* v,
                                               int64_t n, R* y, R* sum) {
    const R head = y[0] + a * u[0] + b * v[0];
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector x = At(y + i) + At(u + i) * a + At(v + i) * b;
      At(y + i) = x;
      At(sum + i) += x * head;
    }
    for (; i < n; ++i) {
      y[i] += u[i] * a + v[i] * b;
      sum[i] += y[i] * head;
    }
  }

  MR_LOOPS_TARGET static R AddTimesAndSum(R factor, const R* x, const R* z,
                                          int64_t n, R* y) {
    Vector sums[kParts];
    Clear(sums);
    int64_t i = 0;
    for (; i + kWide <= n; i += kWide) {
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) {
        const int64_t k = i + p * kLanes;
        const Vector a = At(x + k);
        At(y + k) += a * factor;
        sums[p] += a * At(z + k);
      }
    }
    R sum = 0;
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) {
#pragma GCC unroll 16
      for (int k = 0; k < kLanes; ++k) sum += sums[p][k];
    }
    for (; i < n; ++i) {
      y[i] += x[i] * factor;
      sum += x[i] * z[i];
    }
    return sum;
  }

  MR_LOOPS_TARGET static void SubtractTwo(R a, const R* u, R b, const R* v,
                                          int64_t n, R* y) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      At(y + i) -= At(u + i) * a + At(v + i) * b;
    for (; i < n; ++i) y[i] -= u[i] * a + v[i] * b;
  }

  // kReals: 2 of pairs, whose factors are the real and the imaginary parts.
  template <int kReals>
  MR_LOOPS_TARGET static void SubtractTile(const R* a, const R* b,
                                           int64_t depth, int64_t rows,
                                           int64_t reals, R* c,
                                           int64_t stride) {
    Vector acc[kTileFactors][kParts];
#pragma GCC unroll 6
    for (int i = 0; i < kTileFactors; ++i) Clear(acc[i]);
    for (int64_t d = 0; d < depth; ++d, a += kTileFactors, b += kWide) {
      Vector row[kParts];
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) row[p] = At(b + p * kLanes);
#pragma GCC unroll 6
      for (int i = 0; i < kTileFactors; ++i) {
#pragma GCC unroll 4
        for (int p = 0; p < kParts; ++p) acc[i][p] += row[p] * a[i];
      }
    }
#pragma GCC unroll 6
    for (int i = 0; i < kTileFactors / kReals; ++i, c += stride) {
      if (i >= rows) break;
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) {
        Vector sum = acc[i * kReals][p];
        if constexpr (kReals == 2) {
          Vector signs, swapped;
          Signs(1, &signs);
          Swap(acc[i * kReals + 1][p], &swapped);
          sum += swapped * signs;
        }
        R* const to = c + p * kLanes;
        if (reals == kWide) {
          At(to) -= sum;
          continue;
        }
        const int64_t left = reals - p * kLanes;
#pragma GCC unroll 16
        for (int k = 0; k < kLanes; ++k) {
          if (k < left) to[k] -= sum[k];
        }
      }
    }
  }
};

}  // namespace millrace::ops
