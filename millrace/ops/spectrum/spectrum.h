// Eigenvalues of self-adjoint matrices and singular values.
#pragma once

#include <limits>
#include <numeric>

#include "millrace/ops/linalg/factor.h"

namespace millrace::ops {

// A real symmetric matrix whose elements are on the diagonal and next to it;
// only those on and below the diagonal are kept.
template <class R>
struct Tridiagonal {
  std::vector<R> diagonal, below;
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
  std::vector<S> taus(static_cast<size_t>(n)), v(taus), w(taus);
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
      S sum = S(std::real(row[r])) * v[r];
      for (int64_t c = 0; c < r; ++c) {
        sum += row[c] * v[c];
        w[c] += ConjugateOf(row[c]) * v[r];
      }
      w[r] += sum;
    }
    for (int64_t r = 0; r < m; ++r) w[r] *= ConjugateOf(tau);
    const S alpha = R(0.5) * ConjugateOf(tau) * Inner(w.data(), v.data(), m);
    SubtractTimes(alpha, v.data(), m, w.data());
    for (int64_t r = 0; r < m; ++r) {
      S* row = a.row(i + 1 + r) + i + 1;
      for (int64_t c = 0; c <= r; ++c) {
        row[c] -= v[r] * ConjugateOf(w[c]) + w[r] * ConjugateOf(v[c]);
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) t.diagonal[i] = std::real(a(i, i));
  if (qt == nullptr) return t;
  *qt = Matrix<S>::Identity(n, n);
  for (int64_t i = n - 2; i >= 0; --i) {
    const int64_t m = n - i - 1;
    if (stop.IsSet(2 * m * m)) break;
    for (int64_t r = 0; r < m; ++r) v[r] = a(i + 1 + r, i);
    for (int64_t j = i + 1; j < n; ++j) {
      S* column = qt->row(j) + i + 1;
      SubtractTimes(ConjugateOf(taus[i]) * Inner(v.data(), column, m), v.data(),
                    m, column);
    }
  }
  return t;
}

// The c and s of the rotation that maps (p, q) to (r, 0).
template <class R>
struct PlaneRotation {
  R c = 1, s = 0;
  PlaneRotation(R p, R q) {
    if (q == 0) {
      c = p < 0 ? R(-1) : R(1);
    } else if (p == 0) {
      c = 0;
      s = q < 0 ? R(1) : R(-1);
    } else if (std::abs(p) > std::abs(q)) {
      const R t = q / p;
      const R u = std::copysign(std::sqrt(1 + t * t), p);
      c = 1 / u;
      s = -t * c;
    } else {
      const R t = p / q;
      const R u = std::copysign(std::sqrt(1 + t * t), q);
      s = -1 / u;
      c = -t * s;
    }
  }
};

// Takes one implicit step with Wilkinson's shift on the block [start, end] of
// `t`, in which no element below the diagonal is 0. The rotations are applied
// to rows of `qt` unless it is null.
template <class S>
void RotateTridiagonal(int64_t start, int64_t end, Tridiagonal<RealType<S>>* t,
                       Matrix<S>* qt) {
  using R = RealType<S>;
  std::vector<R>& d = t->diagonal;
  std::vector<R>& e = t->below;
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
    if (qt == nullptr) continue;
    S* p = qt->row(k);
    S* q = qt->row(k + 1);
    for (int64_t i = 0; i < qt->cols(); ++i) {
      const S pi = p[i], qi = q[i];
      p[i] = g.c * pi - g.s * qi;
      q[i] = g.s * pi + g.c * qi;
    }
  }
}

// Computes A = V diag(values) V^H for a self-adjoint A, of which only the lower
// half is read; values are in ascending order. Sets `vt`, unless it is null, to
// the transpose of V. Returns false if it does not converge, as with elements
// that are NaN.
template <class S>
bool FactorSelfAdjoint(Matrix<S> a, std::vector<RealType<S>>* values,
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
  std::vector<R>& d = t.diagonal;
  std::vector<R>& e = t.below;
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
    if (stop.IsSet((end - start) * (vt == nullptr ? 8 : 4 * n))) break;
    RotateTridiagonal(start, end, &t, vt);
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t least = std::min_element(d.begin() + i, d.end()) - d.begin();
    std::swap(d[i], d[least]);
    if (vt != nullptr) vt->SwapRows(i, least);
  }
  for (R& value : d) value *= scale;
  *values = std::move(d);
  return true;
}

// Rotates rows p and q of `m`, after multiplying the latter by `phase`.
template <class S, class R>
void RotateRows(R c, R s, S phase, int64_t p, int64_t q, Matrix<S>* m) {
  S* x = m->row(p);
  S* y = m->row(q);
  for (int64_t i = 0; i < m->cols(); ++i) {
    const S xi = x[i], yi = y[i] * phase;
    x[i] = c * xi - s * yi;
    y[i] = s * xi + c * yi;
  }
}

// Makes the rows of `w` orthogonal by rotations of pairs of them (Jacobi),
// which are also applied to the rows of `v`.
template <class S>
void OrthogonalizeRows(Matrix<S>* w, Matrix<S>* v, StopFlag& stop) {
  using R = RealType<S>;
  constexpr int kMaxSweeps = 60;
  const int64_t n = w->rows();
  const R tolerance = std::numeric_limits<R>::epsilon() *
                      std::sqrt(static_cast<R>(w->cols() + 4));
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMaxSweeps; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (stop.IsSet(3 * w->cols())) return;
        const R pp = std::real(Inner(w->row(p), w->row(p), w->cols()));
        const R qq = std::real(Inner(w->row(q), w->row(q), w->cols()));
        const S pq = Inner(w->row(p), w->row(q), w->cols());
        const R cross = std::abs(pq);
        if (!(cross > tolerance * std::sqrt(pp) * std::sqrt(qq)) ||
            cross < std::numeric_limits<R>::min()) {
          continue;
        }
        rotated = true;
        const R tau = (qq - pp) / (2 * cross);
        const R t = std::copysign(R(1), tau) /
                    (std::abs(tau) + std::sqrt(1 + tau * tau));
        const R c = 1 / std::sqrt(1 + t * t);
        const S phase = ConjugateOf(pq) / S(cross);
        RotateRows(c, t * c, phase, p, q, w);
        RotateRows(c, t * c, phase, p, q, v);
      }
    }
  }
}

// Computes A = U diag(values) V^H, with values in descending order, for A with
// at least as many rows as columns and finite elements. U has `u_cols` columns,
// as many as A has columns or rows; V is square.
template <class S>
void FactorTallSvd(Matrix<S> a, int64_t u_cols,
                   std::vector<RealType<S>>* values, Matrix<S>* u, Matrix<S>* v,
                   StopFlag& stop) {
  using R = RealType<S>;
  const int64_t m = a.rows(), n = a.cols();
  const R scale = a.LargestElement();
  if (scale > 0) {
    for (int64_t i = 0; i < a.size(); ++i) a.data()[i] /= scale;
  }
  Matrix<S> q, r;
  FactorQr(std::move(a), u_cols, &q, &r, stop);
  // The rows of `w` are the columns of R.
  Matrix<S> w(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) w(j, i) = r(i, j);
  }
  Matrix<S> vt = Matrix<S>::Identity(n, n);
  OrthogonalizeRows(&w, &vt, stop);
  std::vector<R> norms(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    norms[k] = std::sqrt(std::real(Inner(w.row(k), w.row(k), n)));
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return norms[x] > norms[y]; });
  // Singular values below this are rounding errors.
  const R least = n == 0 ? R(0)
                         : norms[order[0]] * static_cast<R>(n) *
                               std::numeric_limits<R>::epsilon();
  values->resize(static_cast<size_t>(n));
  *v = Matrix<S>(n, n);
  int64_t rank = 0;
  for (int64_t k = 0; k < n; ++k) {
    (*values)[k] = norms[order[k]] * scale;
    for (int64_t i = 0; i < n; ++i) (*v)(i, k) = vt(order[k], i);
    if (norms[order[k]] > least) rank = k + 1;
  }
  Matrix<S> inner(n, n);
  Matrix<S> basis(n, rank);
  for (int64_t k = 0; k < rank; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      inner(i, k) = basis(i, k) = w(order[k], i) / S(norms[order[k]]);
    }
  }
  if (rank < n) {
    Matrix<S> complete, unused;
    FactorQr(std::move(basis), n, &complete, &unused, stop);
    for (int64_t i = 0; i < n; ++i) {
      std::copy(complete.row(i) + rank, complete.row(i) + n,
                inner.row(i) + rank);
    }
  }
  // U is Q with its first n columns multiplied by `inner`.
  *u = Matrix<S>(m, u_cols);
  for (int64_t i = 0; i < m; ++i) {
    if (stop.IsSet(n * n)) break;
    for (int64_t k = 0; k < n; ++k) {
      SubtractTimes(-q(i, k), inner.row(k), n, u->row(i));
    }
    std::copy(q.row(i) + n, q.row(i) + u_cols, u->row(i) + n);
  }
}

}  // namespace millrace::ops
