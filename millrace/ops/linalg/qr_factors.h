// Unitary and triangular factors.
#pragma once

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/reflections.h"

namespace millrace::ops {

// As many reflections as are applied at once to the columns to their right, and
// those of a matrix that are applied one by one.
inline constexpr int64_t kReflections = 32, kFewReflections = 48;

// Returns the first `cols` columns of H(0)^H H(1)^H ..., for as many
// reflections as there are taus. H(k) has the vector of ApplyReflection, column
// k.
template <class S>
Matrix<S> MakeUnitary(const Matrix<S>& vectors, const CountedVector<S>& taus,
                      int64_t cols, StopFlag& stop) {
  const auto steps = static_cast<int64_t>(taus.size());
  Matrix<S> q = Matrix<S>::Identity(vectors.rows(), cols);
  if (steps <= kFewReflections) {
    CountedVector<S> work(static_cast<size_t>(cols));
    for (int64_t k = steps - 1; k >= 0; --k) {
      if (stop.IsSet(2 * (vectors.rows() - k) * (cols - k))) break;
      ApplyReflection(vectors, k, ConjugateOf(taus[k]), k, cols, work.data(),
                      &q);
    }
    return q;
  }
  int64_t end = steps;
  while (end > 0) {
    const int64_t first = (end - 1) / kReflections * kReflections;
    if (stop.IsSet(1)) break;
    ReflectionGroup<S>(vectors, first, end - first, taus.data())
        .Apply(Applied::kAdjoint, first, cols, &q, stop);
    end = first;
  }
  return q;
}

// Computes A = Q R by reflections: the first `q_cols` columns of Q, and R,
// which is as large as A.
template <class S>
void FactorQr(Matrix<S> a, int64_t q_cols, Matrix<S>* q, Matrix<S>* r,
              StopFlag& stop) {
  const int64_t m = a.rows(), n = a.cols();
  const int64_t steps = std::min(m, n);
  const int64_t group = steps <= kFewReflections ? n : kReflections;
  CountedVector<S> taus(static_cast<size_t>(steps));
  CountedVector<S> work(static_cast<size_t>(n));
  for (int64_t first = 0; first < steps; first += group) {
    const int64_t end = std::min(first + group, n);
    const int64_t count = std::min(end, steps) - first;
    for (int64_t k = first; k < first + count; ++k) {
      if (stop.IsSet(2 * (m - k) * (end - k))) break;
      taus[k] = MakeReflection(a.row(k) + k, m - k, n);
      ApplyReflection(a, k, taus[k], k + 1, end, work.data(), &a);
    }
    if (end == n) continue;
    ReflectionGroup<S>(a, first, count, taus.data())
        .Apply(Applied::kAsGiven, end, n, &a, stop);
  }
  *q = MakeUnitary(a, taus, q_cols, stop);
  for (int64_t i = 1; i < m; ++i) {
    std::fill(a.row(i), a.row(i) + std::min(i, n), S(0));
  }
  *r = std::move(a);
}

}  // namespace millrace::ops
