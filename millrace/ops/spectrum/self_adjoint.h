// Eigenvalues of self-adjoint matrices.
#pragma once

#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/qr_factors.h"
#include "millrace/ops/spectrum/rotations.h"

namespace millrace::ops {

// A real symmetric matrix whose elements are on the diagonal and next to it;
// only those on and below the diagonal are kept.
template <class R>
struct Tridiagonal {
  CountedVector<R> diagonal, below;
};

// Computes A = Q T Q^H by reflections from both sides; only the lower half of A
// is read. Sets `qt`, unless it is null, to the transpose of Q.
template <class S>
Tridiagonal<RealType<S>> MakeTridiagonal(Matrix<S> a, Matrix<S>* qt,
                                         StopFlag& stop) {
  using R = RealType<S>;
  const int64_t n = a.rows();
  Tridiagonal<R> t;
  t.diagonal.resize(static_cast<size_t>(n));
  t.below.resize(static_cast<size_t>(n));
  CountedVector<S> taus(static_cast<size_t>(n)), v(taus), w(taus);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t m = n - i - 1;
    if (stop.IsSet(2 * m * m)) break;
    for (int64_t r = 0; r < m; ++r) v[r] = a(i + 1 + r, i);
    const S tau = taus[i] = MakeReflection(v.data(), m);
    t.below[i] = std::real(v[0]);
    v[0] = S(1);
    for (int64_t r = 0; r < m; ++r) a(i + 1 + r, i) = v[r];
    if (tau == S(0)) continue;
    // Computes w = conj(tau) A v, and then A - v w^H - w v^H.
    std::fill(w.begin(), w.begin() + m, S(0));
    for (int64_t r = 0; r < m; ++r) {
      const S* row = a.row(i + 1 + r) + i + 1;
      w[r] += S(std::real(row[r])) * v[r] +
              AddConjugateTimesAndSum(v[r], row, v.data(), r, w.data());
    }
    for (int64_t r = 0; r < m; ++r) w[r] *= ConjugateOf(tau);
    const S alpha = R(0.5) * ConjugateOf(tau) * Dot(w.data(), v.data(), m);
    AddTimes(-alpha, v.data(), m, w.data());
    for (int64_t r = 0; r < m; ++r) {
      SubtractTwoConjugates(v[r], w.data(), w[r], v.data(), r + 1,
                            a.row(i + 1 + r) + i + 1);
    }
  }
  for (int64_t i = 0; i < n; ++i) t.diagonal[i] = std::real(a(i, i));
  if (qt == nullptr) return t;
  // The first row and column of Q are those of the identity.
  Matrix<S> vectors(n - 1, n - 1);
  for (int64_t r = 1; r < n; ++r) {
    std::copy(a.row(r), a.row(r) + n - 1, vectors.row(r - 1));
  }
  taus.pop_back();
  const Matrix<S> rest = MakeUnitary(vectors, taus, n - 1, stop).Transposed();
  *qt = Matrix<S>::Identity(n, n);
  for (int64_t r = 1; r < n; ++r) {
    std::copy(rest.row(r - 1), rest.row(r - 1) + n - 1, qt->row(r) + 1);
  }
  return t;
}

// Takes one implicit step with Wilkinson's shift on the block [start, end] of
// `t`, in which no element below the diagonal is 0, and rotates rows of Q's
// transpose.
template <class S>
void RotateTridiagonal(int64_t start, int64_t end, Tridiagonal<RealType<S>>* t,
                       RowRotations<S>* qt, StopFlag& stop) {
  using R = RealType<S>;
  CountedVector<R>& d = t->diagonal;
  CountedVector<R>& e = t->below;
  const R half = (d[end - 1] - d[end]) / 2;
  const R last = e[end - 1];
  R shift = d[end];
  if (half == 0) {
    shift -= std::abs(last);
  } else if (last != 0) {
    const R h = std::hypot(half, last);
    const R by = half + (half > 0 ? h : -h);
    const R square = last * last;
    shift -= square == 0 ? last / (by / last) : square / by;
  }
  R x = d[start] - shift, z = e[start];
  for (int64_t k = start; k < end && z != 0; ++k) {
    const PlaneRotation<R> g(x, z);
    const R sdk = g.s * d[k] + g.c * e[k];
    const R next = g.s * e[k] + g.c * d[k + 1];
    d[k] =
        g.c * (g.c * d[k] - g.s * e[k]) - g.s * (g.c * e[k] - g.s * d[k + 1]);
    d[k + 1] = g.s * sdk + g.c * next;
    e[k] = g.c * sdk - g.s * next;
    if (k > start) e[k - 1] = g.c * e[k - 1] - g.s * z;
    x = e[k];
    if (k < end - 1) {
      z = -g.s * e[k + 1];
      e[k + 1] *= g.c;
    }
    qt->Add(g, k, k + 1, stop);
  }
}

// Computes A = V diag(values) V^H for a self-adjoint A, of which only the lower
// half is read; values are in ascending order. Sets `vt`, unless it is null, to
// the transpose of V. Returns false if it does not converge, as with elements
// that are NaN.
template <class S>
bool FactorSelfAdjoint(Matrix<S> a, CountedVector<RealType<S>>* values,
                       Matrix<S>* vt, StopFlag& stop) {
  using R = RealType<S>;
  const int64_t n = a.rows();
  if (n == 1) {  // a number, which may be NaN
    *values = {std::real(a(0, 0))};
    if (vt != nullptr) *vt = Matrix<S>::Identity(1, 1);
    return true;
  }
  R scale = 0;
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      const R size = std::abs(a(r, c));
      if (!std::isfinite(size)) return false;
      scale = std::max(scale, size);
    }
  }
  if (scale == 0) scale = 1;
  for (int64_t i = 0; i < a.size(); ++i) a.data()[i] /= scale;
  Tridiagonal<R> t = MakeTridiagonal(std::move(a), vt, stop);
  RowRotations<S> rotations(vt);
  CountedVector<R>& d = t.diagonal;
  CountedVector<R>& e = t.below;
  constexpr int64_t kStepsEach = 30;
  constexpr R kInverse = 1 / std::numeric_limits<R>::epsilon();
  int64_t start = 0, end = n - 1, steps = 0;
  while (end > 0) {
    for (int64_t i = start; i < end; ++i) {
      const R scaled = kInverse * e[i];
      if (std::abs(e[i]) < std::numeric_limits<R>::min() ||
          scaled * scaled <= std::abs(d[i]) + std::abs(d[i + 1])) {
        e[i] = 0;
      }
    }
    while (end > 0 && e[end - 1] == 0) --end;
    if (end <= 0) break;
    if (++steps > kStepsEach * n) return false;
    start = end - 1;
    while (start > 0 && e[start - 1] != 0) --start;
    if (stop.IsSet(8 * (end - start))) break;
    RotateTridiagonal(start, end, &t, &rotations, stop);
  }
  rotations.Flush(stop);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t least = std::min_element(d.begin() + i, d.end()) - d.begin();
    std::swap(d[i], d[least]);
    if (vt != nullptr) vt->SwapRows(i, least);
  }
  for (R& value : d) value *= scale;
  *values = std::move(d);
  return true;
}

}  // namespace millrace::ops
