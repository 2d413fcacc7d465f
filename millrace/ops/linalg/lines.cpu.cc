#include "millrace/ops/linalg/lines.h"

#include "millrace/ops/linalg/line_loops.h"

namespace millrace::ops {
namespace {

template <class R>
constexpr LineKernels<R> kBaseline = LineLoops<R, 16>::Kernels();

template <class R>
const R* Reals(const std::complex<R>* x) {
  return reinterpret_cast<const R*>(x);
}
template <class R>
R* Reals(std::complex<R>* x) {
  return reinterpret_cast<R*>(x);
}

template <class S>
const LineKernels<RealType<S>>& Best() {
  return BestLineKernels<RealType<S>>();
}

}  // namespace

template <class R>
const LineKernels<R>& BestLineKernels() {
#ifdef __x86_64__
  static const LineKernels<R>& best =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl")
          ? Avx512LineKernels<R>()
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? Avx2LineKernels<R>()
          : kBaseline<R>;
  return best;
#else
  return kBaseline<R>;
#endif
}

template <class S>
S Dot(const S* x, const S* y, int64_t n) {
  if constexpr (kIsReal<S>) {
    return Best<S>().dot(x, y, n);
  } else {
    RealType<S> imaginary;
    const RealType<S> real =
        Best<S>().crossed_dot(Reals(x), Reals(y), 2 * n, &imaginary);
    return {real, imaginary};
  }
}

template <class S>
void AddTimes(S factor, const S* x, int64_t n, S* y) {
  if constexpr (kIsReal<S>) {
    Best<S>().add_times(factor, x, n, y);
  } else {
    Best<S>().pairs_add_times(factor.real(), factor.imag(), Reals(x), 2 * n,
                              Reals(y));
  }
}

template <class S>
void Rotate(RealType<S> c, RealType<S> s, int64_t n, S* x, S* y) {
  if constexpr (kIsReal<S>) {
    Best<S>().rotate(c, s, n, x, y);
  } else {
    Best<S>().rotate(c, s, 2 * n, Reals(x), Reals(y));
  }
}

template <class S>
void RotateChain(const RotationFactors<RealType<S>>* factors, int64_t count,
                 int64_t n, int64_t stride, S* x) {
  if constexpr (kIsReal<S>) {
    Best<S>().rotate_chain(factors, count, n, stride, x);
  } else {
    Best<S>().rotate_chain(factors, count, 2 * n, 2 * stride, Reals(x));
  }
}

template <class S>
void AddTwoAndCollect(S a, const S* u, S b, const S* v, int64_t n, S* y,
                      S* sum) {
  if (n <= 0) return;
  if constexpr (kIsReal<S>) {
    Best<S>().add_two_and_collect(a, u, b, v, n, y, sum);
  } else {
    AddTimes(a, u, n, y);
    AddTimes(b, v, n, y);
    AddTimes(std::conj(y[0]), y, n, sum);
  }
}

template <class S>
S AddConjugateTimesAndSum(S factor, const S* x, const S* z, int64_t n, S* y) {
  if constexpr (kIsReal<S>) {
    return Best<S>().add_times_and_sum(factor, x, z, n, y);
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
    Best<S>().subtract_two(a, u, b, v, n, y);
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

template const LineKernels<float>& BestLineKernels();
template const LineKernels<double>& BestLineKernels();

}  // namespace millrace::ops
