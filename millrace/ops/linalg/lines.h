// Loops over lines of numbers, for baseline x86-64, AVX2 and AVX-512. Products
// and sums may be fused, so that the last bits depend on the processor.
#pragma once

#include <cstdint>

#include "millrace/ops/linalg/matrix.h"

namespace millrace::ops {

// Returns the sum of conj(x[i]) * y[i].
template <class S>
S Dot(const S* x, const S* y, int64_t n);

// Computes y += factor * x.
template <class S>
void AddTimes(S factor, const S* x, int64_t n, S* y);

// Computes x = c x - s y and y = s x + c y of the values before.
template <class S>
void Rotate(RealType<S> c, RealType<S> s, int64_t n, S* x, S* y);

template <class R>
struct RotationFactors {
  R c = 1, s = 0;
};

// Rotates rows 0 and 1 of `x`, then rows 1 and 2, and so on, as Rotate does,
// `count` times. Rows have `n` elements and begin `stride` apart.
template <class S>
void RotateChain(const RotationFactors<RealType<S>>* factors, int64_t count,
                 int64_t n, int64_t stride, S* x);

// Computes y += a * u + b * v, and then sum += conj(y[0]) * y.
template <class S>
void AddTwoAndCollect(S a, const S* u, S b, const S* v, int64_t n, S* y,
                      S* sum);

// Computes y += factor * conj(x) and returns the sum of x[i] * z[i]: both
// products of a row of a self-adjoint matrix, of which one half is kept.
template <class S>
S AddConjugateTimesAndSum(S factor, const S* x, const S* z, int64_t n, S* y);

// Computes y -= a * conj(u) + b * conj(v).
template <class S>
void SubtractTwoConjugates(S a, const S* u, S b, const S* v, int64_t n, S* y);

}  // namespace millrace::ops
