// The triangular factor of a matrix that is positive definite.
#pragma once

#include <cmath>

#include "millrace/ops/linalg/triangle.h"

namespace millrace::ops {

template <class S>
bool FactorSmallCholesky(Block<S> a) {
  S column[kSmallTriangle];
  for (int64_t j = 0; j < a.rows; ++j) {
    const RealType<S> diagonal = std::real(a(j, j));
    if (diagonal <= 0) return false;
    const RealType<S> root = std::sqrt(diagonal);
    a(j, j) = S(root);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      a(i, j) /= root;
      column[i] = ConjugateOf(a(i, j));
    }
    for (int64_t i = j + 1; i < a.rows; ++i) {
      SubtractTimes(a(i, j), column + j + 1, i - j, a.row(i) + j + 1);
    }
  }
  return true;
}

// Replaces the lower half of A by that of L; the upper half is left with
// unspecified values.
template <class S>
bool FactorCholesky(Block<S> a, StopFlag& stop) {
  if (a.rows <= kSmallTriangle) return FactorSmallCholesky(a);
  const int64_t half = HalfOf(a.rows, kSmallTriangle), rest = a.rows - half;
  const Block<S> top = a.Cut(0, 0, half, half);
  const Block<S> below = a.Cut(half, 0, rest, half);
  const Block<S> last = a.Cut(half, half, rest, rest);
  if (!FactorCholesky(top, stop)) return false;
  SolveFromRight(top, below, stop);
  SubtractProduct(below, below, last, stop, Second::kAdjoint,
                  Wanted::kLowerHalf);
  return FactorCholesky(last, stop);
}

// Replaces A by the lower triangular L of A = L L^H; only the lower half of A
// is read. Returns false if A is not positive definite.
template <class S>
bool FactorCholesky(Matrix<S>* a, StopFlag& stop) {
  if (!FactorCholesky(All(a), stop)) return false;
  for (int64_t i = 0; i < a->rows(); ++i) {
    std::fill(a->row(i) + i + 1, a->row(i) + a->cols(), S(0));
  }
  return true;
}

}  // namespace millrace::ops
