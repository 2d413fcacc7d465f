#include "millrace/ops/linalg/lines.h"

#include "millrace/base/target_clones.h"
#include "millrace/ops/linalg/packed_lanes.h"

namespace millrace::ops {
namespace {

template <class R>
using VectorOf = typename Lanes<R>::Vector;

template <class R>
inline __attribute__((always_inline)) const VectorOf<R>& At(const R* x) {
  return *reinterpret_cast<const VectorOf<R>*>(x);
}
template <class R>
inline __attribute__((always_inline)) VectorOf<R>& At(R* x) {
  return *reinterpret_cast<VectorOf<R>*>(x);
}

// The sums of x y and of x swap(y) over `n` reals. Sets `crossed` to the sum of
// the second's even terms less its odd ones.
template <bool kCrossed, class R>
inline __attribute__((always_inline)) R Sums(const R* x, const R* y, int64_t n,
                                             R* crossed) {
  using L = Lanes<R>;
  constexpr int kN = L::kReals;
  VectorOf<R> plain[2] = {}, cross[2] = {};
  int64_t i = 0;
  for (; i + 2 * kN <= n; i += 2 * kN) {
    for (int k = 0; k < 2; ++k) {
      const VectorOf<R> a = At(x + i + k * kN), b = At(y + i + k * kN);
      plain[k] += a * b;
      if constexpr (kCrossed) {
        VectorOf<R> swapped;
        L::Swap(b, &swapped);
        cross[k] += a * swapped;
      }
    }
  }
  plain[0] += plain[1];
  R sum = 0, turned = 0;
  for (int k = 0; k < kN; ++k) sum += plain[0][k];
  if constexpr (kCrossed) {
    cross[0] += cross[1];
    for (int k = 0; k < kN; k += 2) turned += cross[0][k] - cross[0][k + 1];
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

template <class R>
MR_TARGET_CLONES R RealDot(const R* x, const R* y, int64_t n) {
  return Sums<false, R>(x, y, n, nullptr);
}
template <class R>
MR_TARGET_CLONES R CrossedDot(const R* x, const R* y, int64_t n, R* crossed) {
  return Sums<true>(x, y, n, crossed);
}

template <class R>
MR_TARGET_CLONES void RealAddTimes(R factor, const R* x, int64_t n, R* y) {
  constexpr int kN = Lanes<R>::kReals;
  int64_t i = 0;
  for (; i + kN <= n; i += kN) At(y + i) += At(x + i) * factor;
  for (; i < n; ++i) y[i] += x[i] * factor;
}
// Of pairs: y += re x + im (-x[1], x[0], ...).
template <class R>
MR_TARGET_CLONES void PairsAddTimes(R re, R im, const R* x, int64_t n, R* y) {
  using L = Lanes<R>;
  VectorOf<R> signs, swapped;
  L::Signs(im, &signs);
  int64_t i = 0;
  for (; i + L::kReals <= n; i += L::kReals) {
    const VectorOf<R> a = At(x + i);
    L::Swap(a, &swapped);
    At(y + i) += a * re + swapped * signs;
  }
  for (; i < n; i += 2) {
    const R a = x[i], b = x[i + 1];
    y[i] += re * a - im * b;
    y[i + 1] += re * b + im * a;
  }
}

template <class R>
MR_TARGET_CLONES void RealRotate(R c, R s, int64_t n, R* x, R* y) {
  constexpr int kN = Lanes<R>::kReals;
  int64_t i = 0;
  for (; i + kN <= n; i += kN) {
    const VectorOf<R> a = At(x + i), b = At(y + i);
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
template <class R>
MR_TARGET_CLONES void RealRotateChain(const RotationFactors<R>* factors,
                                      int64_t count, int64_t n, int64_t stride,
                                      R* x) {
  constexpr int kN = Lanes<R>::kReals, kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * kN <= n; i += kVectors * kN) {
    R* row = x + i;
    VectorOf<R> moving[kVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) moving[k] = At(row + k * kN);
    for (int64_t j = 0; j < count; ++j, row += stride) {
      const R c = factors[j].c, s = factors[j].s;
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) {
        const VectorOf<R> next = At(row + stride + k * kN);
        At(row + k * kN) = moving[k] * c - next * s;
        moving[k] = moving[k] * s + next * c;
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) At(row + k * kN) = moving[k];
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

template <class R>
MR_TARGET_CLONES void RealAddTwoAndCollect(R a, const R* u, R b, const R* v,
                                           int64_t n, R* y, R* sum) {
  constexpr int kN = Lanes<R>::kReals;
  const R head = y[0] + a * u[0] + b * v[0];
  int64_t i = 0;
  for (; i + kN <= n; i += kN) {
    const VectorOf<R> x = At(y + i) + At(u + i) * a + At(v + i) * b;
    At(y + i) = x;
    At(sum + i) += x * head;
  }
  for (; i < n; ++i) {
    y[i] += u[i] * a + v[i] * b;
    sum[i] += y[i] * head;
  }
}

template <class R>
MR_TARGET_CLONES R RealAddTimesAndSum(R factor, const R* x, const R* z,
                                      int64_t n, R* y) {
  constexpr int kN = Lanes<R>::kReals;
  VectorOf<R> sums = {};
  int64_t i = 0;
  for (; i + kN <= n; i += kN) {
    const VectorOf<R> a = At(x + i);
    At(y + i) += a * factor;
    sums += a * At(z + i);
  }
  R sum = 0;
  for (int k = 0; k < kN; ++k) sum += sums[k];
  for (; i < n; ++i) {
    y[i] += x[i] * factor;
    sum += x[i] * z[i];
  }
  return sum;
}

template <class R>
MR_TARGET_CLONES void RealSubtractTwo(R a, const R* u, R b, const R* v,
                                      int64_t n, R* y) {
  constexpr int kN = Lanes<R>::kReals;
  int64_t i = 0;
  for (; i + kN <= n; i += kN) At(y + i) -= At(u + i) * a + At(v + i) * b;
  for (; i < n; ++i) y[i] -= u[i] * a + v[i] * b;
}

template <class R>
const R* Reals(const std::complex<R>* x) {
  return reinterpret_cast<const R*>(x);
}
template <class R>
R* Reals(std::complex<R>* x) {
  return reinterpret_cast<R*>(x);
}

}  // namespace

template <class S>
S Dot(const S* x, const S* y, int64_t n) {
  if constexpr (kIsReal<S>) {
    return RealDot(x, y, n);
  } else {
    RealType<S> imaginary;
    const RealType<S> real = CrossedDot(Reals(x), Reals(y), 2 * n, &imaginary);
    return {real, imaginary};
  }
}

template <class S>
void AddTimes(S factor, const S* x, int64_t n, S* y) {
  if constexpr (kIsReal<S>) {
    RealAddTimes(factor, x, n, y);
  } else {
    PairsAddTimes(factor.real(), factor.imag(), Reals(x), 2 * n, Reals(y));
  }
}

template <class S>
void Rotate(RealType<S> c, RealType<S> s, int64_t n, S* x, S* y) {
  if constexpr (kIsReal<S>) {
    RealRotate(c, s, n, x, y);
  } else {
    RealRotate(c, s, 2 * n, Reals(x), Reals(y));
  }
}

template <class S>
void RotateChain(const RotationFactors<RealType<S>>* factors, int64_t count,
                 int64_t n, int64_t stride, S* x) {
  if constexpr (kIsReal<S>) {
    RealRotateChain(factors, count, n, stride, x);
  } else {
    RealRotateChain(factors, count, 2 * n, 2 * stride, Reals(x));
  }
}

template <class S>
void AddTwoAndCollect(S a, const S* u, S b, const S* v, int64_t n, S* y,
                      S* sum) {
  if (n <= 0) return;
  if constexpr (kIsReal<S>) {
    RealAddTwoAndCollect(a, u, b, v, n, y, sum);
  } else {
    AddTimes(a, u, n, y);
    AddTimes(b, v, n, y);
    AddTimes(std::conj(y[0]), y, n, sum);
  }
}

template <class S>
S AddConjugateTimesAndSum(S factor, const S* x, const S* z, int64_t n, S* y) {
  if constexpr (kIsReal<S>) {
    return RealAddTimesAndSum(factor, x, z, n, y);
  } else {
    S sum(0);
    for (int64_t i = 0; i < n; ++i) {
      y[i] += factor * std::conj(x[i]);
      sum += x[i] * z[i];
    }
    return sum;
  }
}

template <class S>
void SubtractTwoConjugates(S a, const S* u, S b, const S* v, int64_t n, S* y) {
  if constexpr (kIsReal<S>) {
    RealSubtractTwo(a, u, b, v, n, y);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      y[i] -= a * std::conj(u[i]) + b * std::conj(v[i]);
    }
  }
}

#define MR_LINES_OF(S)                                                       \
  template S Dot(const S*, const S*, int64_t);                               \
  template void AddTimes(S, const S*, int64_t, S*);                          \
  template void Rotate<S>(RealType<S>, RealType<S>, int64_t, S*, S*);        \
  template void RotateChain<S>(const RotationFactors<RealType<S>>*, int64_t, \
                               int64_t, int64_t, S*);                        \
  template void AddTwoAndCollect(S, const S*, S, const S*, int64_t, S*, S*); \
  template S AddConjugateTimesAndSum(S, const S*, const S*, int64_t, S*);    \
  template void SubtractTwoConjugates(S, const S*, S, const S*, int64_t, S*)

MR_LINES_OF(float);
MR_LINES_OF(double);
MR_LINES_OF(std::complex<float>);
MR_LINES_OF(std::complex<double>);
#undef MR_LINES_OF

}  // namespace millrace::ops
