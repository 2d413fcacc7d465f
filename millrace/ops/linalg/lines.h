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

// The innermost loops of this folder, for what vectors a processor has: over
// reals, or over pairs of a real and an imaginary part, of which `n` counts
// both parts. The functions above and update.h say what they compute.
template <class R>
struct LineKernels {
  R (*dot)(const R* x, const R* y, int64_t n);
  // The sum of x y over both parts; sets `crossed` to that of x swap(y), even
  // terms less odd ones.
  R (*crossed_dot)(const R* x, const R* y, int64_t n, R* crossed);
  void (*add_times)(R factor, const R* x, int64_t n, R* y);
  // Computes y += (re + im i) x of pairs.
  void (*pairs_add_times)(R re, R im, const R* x, int64_t n, R* y);
  void (*rotate)(R c, R s, int64_t n, R* x, R* y);
  void (*rotate_chain)(const RotationFactors<R>* factors, int64_t count,
                       int64_t n, int64_t stride, R* x);
  void (*add_two_and_collect)(R a, const R* u, R b, const R* v, int64_t n, R* y,
                              R* sum);
  R (*add_times_and_sum)(R factor, const R* x, const R* z, int64_t n, R* y);
  void (*subtract_two)(R a, const R* u, R b, const R* v, int64_t n, R* y);
  // Subtracts the product of kTileFactors packed rows (half as many of pairs)
  // and a strip of 64 bytes of packed columns from a tile of c, of which only
  // `rows` and `reals` exist.
  void (*subtract_tile)(const R* a, const R* b, int64_t depth, int64_t rows,
                        int64_t reals, R* c, int64_t stride);
  void (*subtract_pairs_tile)(const R* a, const R* b, int64_t depth,
                              int64_t rows, int64_t reals, R* c,
                              int64_t stride);
};

inline constexpr int kTileFactors = 6;
inline constexpr int kStripBytes = 64;

template <class R>
const LineKernels<R>& Avx512LineKernels();
template <class R>
const LineKernels<R>& Avx2LineKernels();

// Returns those of this machine.
template <class R>
const LineKernels<R>& BestLineKernels();

}  // namespace millrace::ops
