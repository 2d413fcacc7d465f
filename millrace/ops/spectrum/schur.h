// The Schur form of complex matrices.
#pragma once

#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/reflections.h"

namespace millrace::ops {

// A unitary map of two numbers that takes (x, y) to (r, 0).
template <class S>
class PairRotation {
 public:
  PairRotation(S x, S y) {
    const RealType<S> r = std::hypot(std::abs(x), std::abs(y));
    if (r == 0) return;
    x_ = x / r;
    y_ = y / r;
  }
  // Applies it to elements [begin, end) of rows p and p + 1.
  void ToRows(int64_t p, int64_t begin, int64_t end, Matrix<S>* m) const {
    S* a = m->row(p);
    S* b = m->row(p + 1);
    for (int64_t i = begin; i < end; ++i) {
      const S ai = a[i], bi = b[i];
      a[i] = ConjugateOf(x_) * ai + ConjugateOf(y_) * bi;
      b[i] = x_ * bi - y_ * ai;
    }
  }
  // Applies its inverse from the right to elements [begin, end) of columns p
  // and p + 1.
  void ToColumns(int64_t p, int64_t begin, int64_t end, Matrix<S>* m) const {
    for (int64_t i = begin; i < end; ++i) {
      S* at = m->row(i) + p;
      const S a = at[0], b = at[1];
      at[0] = x_ * a + y_ * b;
      at[1] = ConjugateOf(x_) * b - ConjugateOf(y_) * a;
    }
  }

 private:
  S x_{1}, y_{0};
};

// Replaces A by H, which has zeros below the elements next to the diagonal, in
// A = U H U^H, and sets U.
template <class S>
void MakeHessenberg(Matrix<S>* a, Matrix<S>* u, StopFlag& stop) {
  const int64_t n = a->rows();
  *u = Matrix<S>::Identity(n, n);
  CountedVector<S> v(static_cast<size_t>(n)), work(v);
  for (int64_t k = 0; k + 2 < n; ++k) {
    const int64_t m = n - k - 1, first = k + 1;
    if (stop.IsSet(6 * m * n)) return;
    for (int64_t i = 0; i < m; ++i) v[i] = (*a)(first + i, k);
    const S tau = MakeReflection(v.data(), m);
    const S beta = v[0];
    v[0] = S(1);
    // Rows are multiplied by I - tau v v^H from the left.
    std::fill(work.begin(), work.end(), S(0));
    for (int64_t i = 0; i < m; ++i) {
      AddTimes(ConjugateOf(v[i]), a->row(first + i), n, work.data());
    }
    for (int64_t i = 0; i < m; ++i) {
      AddTimes(-tau * v[i], work.data(), n, a->row(first + i));
    }
    // Columns are multiplied by its adjoint from the right.
    for (int64_t i = 0; i < m; ++i) v[i] = ConjugateOf(v[i]);
    for (Matrix<S>* const t : {a, u}) {
      for (int64_t i = 0; i < n; ++i) {
        S* row = t->row(i) + first;
        const S sum = Dot(v.data(), row, m) * ConjugateOf(tau);
        AddTimes(-sum, v.data(), m, row);
      }
    }
    (*a)(first, k) = beta;
    for (int64_t i = first + 1; i < n; ++i) (*a)(i, k) = S(0);
  }
}

// Returns the eigenvalue of the 2 x 2 matrix that ends at row and column `end`
// that is closer to its last element.
template <class S>
S ShiftOf(const Matrix<S>& t, int64_t end) {
  const S a = t(end - 1, end - 1), b = t(end - 1, end);
  const S c = t(end, end - 1), d = t(end, end);
  const S half = (a - d) / RealType<S>(2);
  const S root = std::sqrt(half * half + b * c);
  const S plus = half + root, minus = half - root;
  const S larger = std::abs(plus) >= std::abs(minus) ? plus : minus;
  // The eigenvalues are d + plus and d + minus; plus * minus is -b c.
  return larger == S(0) ? d : d - b * c / larger;
}

// Computes A = U T U^H with an upper triangular T and a unitary U. Replaces `a`
// by T. Returns false if it does not converge, as with elements that are not
// finite. S is complex.
template <class S>
bool FactorSchur(Matrix<S>* a, Matrix<S>* u, StopFlag& stop) {
  using R = RealType<S>;
  const int64_t n = a->rows();
  for (int64_t i = 0; i < a->size(); ++i) {
    const S x = a->data()[i];
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
  }
  MakeHessenberg(a, u, stop);
  Matrix<S>& t = *a;
  const auto is_small = [&t](int64_t k) {  // the element below (k, k)
    const R size = std::abs(t(k + 1, k));
    return size <= std::numeric_limits<R>::epsilon() *
                       (std::abs(t(k, k)) + std::abs(t(k + 1, k + 1))) ||
           size < std::numeric_limits<R>::min();
  };
  constexpr int64_t kStepsEach = 30;
  int64_t end = n - 1, steps = 0, all_steps = 0;
  while (end > 0) {
    if (is_small(end - 1)) {
      t(end, end - 1) = S(0);
      --end;
      steps = 0;
      continue;
    }
    if (++all_steps > kStepsEach * n) return false;
    ++steps;
    int64_t begin = end - 1;
    while (begin > 0 && !is_small(begin - 1)) --begin;
    if (begin > 0) t(begin, begin - 1) = S(0);
    if (stop.IsSet(12 * (end - begin) * n)) return true;
    // An unusual shift ends a cycle of steps that do not converge.
    const S shift = steps % 10 == 0 ? t(end, end) + S(std::abs(t(end, end - 1)))
                                    : ShiftOf(t, end);
    S x = t(begin, begin) - shift, y = t(begin + 1, begin);
    for (int64_t k = begin; k < end; ++k) {
      const PairRotation<S> rotation(x, y);
      rotation.ToRows(k, std::max<int64_t>(k - 1, begin), n, &t);
      rotation.ToColumns(k, 0, std::min(k + 2, end) + 1, &t);
      rotation.ToColumns(k, 0, n, u);
      if (k > begin) t(k + 1, k - 1) = S(0);
      if (k + 1 < end) {
        x = t(k + 1, k);
        y = t(k + 2, k);
      }
    }
  }
  return true;
}

}  // namespace millrace::ops
