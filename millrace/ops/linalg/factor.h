// Triangular and unitary factors of matrices.
#pragma once

#include <cmath>
#include <limits>

#include "millrace/ops/linalg/matrix.h"

namespace millrace::ops {

// P A = L U with rows exchanged so that pivots are large; L has ones on its
// diagonal and lies below it.
template <class S>
struct LuFactors {
  Matrix<S> lu;
  std::vector<int64_t> order;  // row i of P A is row order[i] of A
  bool odd = false;            // the permutation is odd
  bool singular = false;       // a pivot is 0

  // Returns whether to take the matrix as one that has an inverse. As in stock,
  // that the first pivot is NaN says that it has none, and others may be.
  bool IsInvertible() const {
    return !singular && (lu.size() == 0 || std::abs(lu(0, 0)) > 0);
  }
};

template <class S>
LuFactors<S> FactorLu(Matrix<S> a, StopFlag& stop) {
  LuFactors<S> f;
  const int64_t n = a.rows();
  f.order.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) f.order[i] = i;
  for (int64_t k = 0; k < n; ++k) {
    if (stop.IsSet((n - k) * (n - k))) break;
    int64_t pivot = k;
    RealType<S> largest = std::abs(a(k, k));
    for (int64_t i = k + 1; i < n; ++i) {
      const RealType<S> size = std::abs(a(i, k));
      if (size > largest) {
        largest = size;
        pivot = i;
      }
    }
    if (largest == 0) {
      f.singular = true;
      continue;
    }
    if (pivot != k) {
      a.SwapRows(pivot, k);
      std::swap(f.order[pivot], f.order[k]);
      f.odd = !f.odd;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      a(i, k) /= a(k, k);
      SubtractTimes(a(i, k), a.row(k) + k + 1, n - k - 1, a.row(i) + k + 1);
    }
  }
  f.lu = std::move(a);
  return f;
}

enum class Triangle { kLower, kUpper };
enum class Diagonal { kOnes, kAsGiven };

// Solves L x = b (or U x = b) in place of b. The diagonal is taken as ones or
// as given.
template <class S>
void SolveTriangle(const Matrix<S>& t, Triangle triangle, Diagonal diagonal,
                   Matrix<S>* b, StopFlag& stop) {
  const int64_t n = t.rows();
  const bool lower = triangle == Triangle::kLower;
  for (int64_t step = 0; step < n; ++step) {
    if (stop.IsSet((step + 1) * b->cols())) break;
    const int64_t i = lower ? step : n - 1 - step;
    S* x = b->row(i);
    const int64_t begin = lower ? 0 : i + 1, end = lower ? i : n;
    for (int64_t k = begin; k < end; ++k) {
      SubtractTimes(t(i, k), b->row(k), b->cols(), x);
    }
    if (diagonal == Diagonal::kOnes) continue;
    for (int64_t j = 0; j < b->cols(); ++j) x[j] /= t(i, i);
  }
}

// Solves A x = b by the factors of A.
template <class S>
Matrix<S> SolveLu(const LuFactors<S>& f, const Matrix<S>& b, StopFlag& stop) {
  Matrix<S> x(b.rows(), b.cols());
  for (int64_t i = 0; i < b.rows(); ++i) {
    std::copy(b.row(f.order[i]), b.row(f.order[i]) + b.cols(), x.row(i));
  }
  SolveTriangle(f.lu, Triangle::kLower, Diagonal::kOnes, &x, stop);
  SolveTriangle(f.lu, Triangle::kUpper, Diagonal::kAsGiven, &x, stop);
  return x;
}

// Replaces A by the lower triangular L of A = L L^H; only the lower half of A
// is read. Returns false if A is not positive definite.
template <class S>
bool FactorCholesky(Matrix<S>* a, StopFlag& stop) {
  const int64_t n = a->rows();
  std::vector<S> column(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    if (stop.IsSet((n - j) * (n - j) / 2)) break;
    const RealType<S> diagonal = std::real((*a)(j, j));
    if (diagonal <= 0) return false;
    const RealType<S> root = std::sqrt(diagonal);
    (*a)(j, j) = S(root);
    for (int64_t i = j + 1; i < n; ++i) {
      (*a)(i, j) /= root;
      column[i] = ConjugateOf((*a)(i, j));
    }
    for (int64_t i = j + 1; i < n; ++i) {
      SubtractTimes((*a)(i, j), column.data() + j + 1, i - j,
                    a->row(i) + j + 1);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    std::fill(a->row(i) + i + 1, a->row(i) + n, S(0));
  }
  return true;
}

// Makes the Householder reflection I - tau v v^H with v = (1, tail) that maps
// `x` to (beta, 0, ...). Replaces x by (beta, tail) and returns tau. The sign
// of beta is opposite to that of x[0], which avoids cancellation.
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
    SubtractTimes(-ConjugateOf(vectors(i, k)), m->row(i) + begin, n, work);
  }
  SubtractTimes(tau, work, n, m->row(k) + begin);
  for (int64_t i = k + 1; i < m->rows(); ++i) {
    SubtractTimes(vectors(i, k) * tau, work, n, m->row(i) + begin);
  }
}

// Computes A = Q R by reflections: the first `q_cols` columns of Q, and R,
// which is as large as A.
template <class S>
void FactorQr(Matrix<S> a, int64_t q_cols, Matrix<S>* q, Matrix<S>* r,
              StopFlag& stop) {
  const int64_t m = a.rows(), n = a.cols();
  const int64_t steps = std::min(m, n);
  std::vector<S> taus(static_cast<size_t>(steps));
  std::vector<S> work(static_cast<size_t>(std::max(n, q_cols)));
  for (int64_t k = 0; k < steps; ++k) {
    if (stop.IsSet(2 * (m - k) * (n - k))) break;
    taus[k] = MakeReflection(a.row(k) + k, m - k, n);
    ApplyReflection(a, k, taus[k], k + 1, n, work.data(), &a);
  }
  *q = Matrix<S>::Identity(m, q_cols);
  for (int64_t k = steps - 1; k >= 0; --k) {
    if (stop.IsSet(2 * (m - k) * (q_cols - k))) break;
    ApplyReflection(a, k, ConjugateOf(taus[k]), k, q_cols, work.data(), q);
  }
  for (int64_t i = 1; i < m; ++i) {
    std::fill(a.row(i), a.row(i) + std::min(i, n), S(0));
  }
  *r = std::move(a);
}

}  // namespace millrace::ops
