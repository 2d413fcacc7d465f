// Householder's reflections, one by one and many at once.
#pragma once

#include <cmath>
#include <limits>

#include "millrace/ops/linalg/lines.h"
#include "millrace/ops/linalg/update.h"

namespace millrace::ops {

// Makes the reflection I - tau v v^H with v = (1, tail) that maps `x` to
// (beta, 0, ...). Replaces x by (beta, tail) and returns tau. The sign of beta
// is opposite to that of x[0], which avoids cancellation.
template <class S>
S MakeReflection(S* x, int64_t n, int64_t stride = 1) {
  using R = RealType<S>;
  R tail = 0;
  for (int64_t i = 1; i < n; ++i) tail += SquareOf(x[i * stride]);
  const S head = x[0];
  const R imaginary = std::imag(head);
  constexpr R kNothing = std::numeric_limits<R>::min();
  if (tail <= kNothing && imaginary * imaginary <= kNothing) {
    x[0] = S(std::real(head));
    for (int64_t i = 1; i < n; ++i) x[i * stride] = S(0);
    return S(0);
  }
  R beta = std::sqrt(SquareOf(head) + tail);
  if (std::real(head) >= 0) beta = -beta;
  const S scale = head - S(beta);
  for (int64_t i = 1; i < n; ++i) x[i * stride] /= scale;
  x[0] = S(beta);
  return ConjugateOf((S(beta) - head) / S(beta));
}

// Applies I - tau v v^H to columns [begin, end) of rows k ... of `m`; v is 1
// followed by column k of `vectors` below row k. `work` has room for a row.
template <class S>
void ApplyReflection(const Matrix<S>& vectors, int64_t k, S tau, int64_t begin,
                     int64_t end, S* work, Matrix<S>* m) {
  const int64_t n = end - begin;
  if (n <= 0 || tau == S(0)) return;
  std::copy(m->row(k) + begin, m->row(k) + end, work);
  for (int64_t i = k + 1; i < m->rows(); ++i) {
    AddTimes(ConjugateOf(vectors(i, k)), m->row(i) + begin, n, work);
  }
  AddTimes(-tau, work, n, m->row(k) + begin);
  for (int64_t i = k + 1; i < m->rows(); ++i) {
    AddTimes(-vectors(i, k) * tau, work, n, m->row(i) + begin);
  }
}

// Whether a product of reflections is applied or its adjoint.
enum class Applied { kAsGiven, kAdjoint };

// The product H(last) ... H(first) of reflections as I - V S V^H, where S is
// lower triangular. H(k) has the vector of ApplyReflection, column k.
template <class S>
class ReflectionGroup {
 public:
  ReflectionGroup(const Matrix<S>& vectors, int64_t first, int64_t count,
                  const S* taus)
      : first_(first),
        v_(vectors.rows() - first, count),
        v_adjoint_(count, vectors.rows() - first),
        factor_(count, count) {
    for (int64_t i = 0; i < v_.rows(); ++i) {
      for (int64_t j = 0; j <= std::min(i, count - 1); ++j) {
        const S x = i == j ? S(1) : vectors(first + i, first + j);
        v_(i, j) = x;
        v_adjoint_(j, i) = ConjugateOf(x);
      }
    }
    // The row of S for H(k) is -tau (v^H V) S of those before, and tau.
    for (int64_t k = 0; k < count; ++k) {
      const S tau = taus[first + k];
      factor_(k, k) = tau;
      if (tau == S(0)) continue;
      for (int64_t j = 0; j < k; ++j) {
        // The rows hold conjugates.
        const S cross = ConjugateOf(
            Dot(v_adjoint_.row(k) + k, v_adjoint_.row(j) + k, v_.rows() - k));
        AddTimes(-tau * cross, factor_.row(j), j + 1, factor_.row(k));
      }
    }
  }

  // Multiplies columns [begin, end) of rows `first` ... of `m` by the product
  // from the left, or by its adjoint.
  void Apply(Applied side, int64_t begin, int64_t end, Matrix<S>* m,
             StopFlag& stop) const {
    const int64_t count = v_.cols(), n = end - begin;
    if (n <= 0) return;
    const Block<S> c = All(m).Cut(first_, begin, v_.rows(), n);
    Matrix<S> inner(count, n), scaled(count, n);
    // Each product is subtracted from 0: two changes of sign leave none.
    SubtractProduct(All(v_adjoint_), c, All(&inner), stop);
    SubtractProduct(
        All(side == Applied::kAdjoint ? factor_.Adjoint() : factor_),
        All(inner), All(&scaled), stop);
    SubtractProduct(All(v_), All(scaled), c, stop);
  }

 private:
  int64_t first_;
  Matrix<S> v_, v_adjoint_, factor_;
};

}  // namespace millrace::ops
