// Singular values and vectors.
#pragma once

#include <numeric>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/spectrum/bidiagonal.h"

namespace millrace::ops {

// Whether singular vectors are computed.
enum class Vectors { kNone, kBoth };

// Returns the number of absolute value 1 by which a vector is multiplied so
// that its first large element is positive: a small change of a matrix then
// changes its singular vectors little, as numerical slopes require.
template <class S>
S UsualPhase(const S* x, int64_t n) {
  RealType<S> largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  for (int64_t i = 0; i < n && largest > 0; ++i) {
    const RealType<S> size = std::abs(x[i]);
    if (size >= largest / 2) return ConjugateOf(x[i]) / size;
  }
  return S(1);
}

// Computes A = U diag(values) V^H, with values in descending order, for A with
// at least as many rows as columns and finite elements. U has `u_cols` columns,
// as many as A has columns or rows; V is square. Returns false if it does not
// converge.
template <class S>
bool FactorTallSvd(Matrix<S> a, int64_t u_cols, Vectors vectors,
                   CountedVector<RealType<S>>* values, Matrix<S>* u,
                   Matrix<S>* v, StopFlag& stop) {
  using R = RealType<S>;
  const int64_t m = a.rows(), n = a.cols();
  const R scale = a.LargestElement();
  if (scale > 0) {
    for (int64_t i = 0; i < a.size(); ++i) a.data()[i] /= scale;
  }
  // A matrix with many rows is first reduced to the small R of A = Q R.
  Matrix<S> q;
  const bool by_qr = m > n + n / 2;
  if (by_qr) {
    Matrix<S> r;
    FactorQr(std::move(a), vectors == Vectors::kNone ? n : u_cols, &q, &r,
             stop);
    a = Matrix<S>(n, n);
    std::copy(r.data(), r.data() + n * n, a.data());
  }
  BidiagonalReflections<S> of;
  Bidiagonal<R> b = MakeBidiagonal(std::move(a), &of, stop);
  Matrix<S> ut, vt;
  const bool wanted = vectors == Vectors::kBoth;
  if (wanted) {
    ut = MakeUnitary(of.left, of.left_taus, by_qr ? n : u_cols, stop)
             .Transposed();
    vt = MakeUnitary(of.right, of.right_taus, n, stop).Transposed();
  }
  if (!MakeDiagonal(&b, wanted ? &ut : nullptr, wanted ? &vt : nullptr, stop)) {
    return false;
  }
  const CountedVector<R>& d = b.diagonal;
  CountedVector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return std::abs(d[x]) > std::abs(d[y]);
  });
  values->resize(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) (*values)[k] = std::abs(d[order[k]]) * scale;
  if (!wanted) return true;
  Matrix<S> left(ut.rows(), ut.cols()), right(n, n);
  for (int64_t k = 0; k < ut.rows(); ++k) {
    const int64_t from = k < n ? order[k] : k;
    const S phase = k < n ? UsualPhase(vt.row(from), n) : S(1);
    const S turn = k < n && d[from] < 0 ? -phase : phase;
    for (int64_t i = 0; i < ut.cols(); ++i) left(k, i) = ut(from, i) * turn;
    if (k >= n) continue;
    for (int64_t i = 0; i < n; ++i) right(k, i) = vt(from, i) * phase;
  }
  *u = left.Transposed();
  *v = right.Transposed();
  if (by_qr) {
    // U is Q with its first n columns multiplied by that of R.
    u->Scale(S(-1));
    Matrix<S> product = q;
    for (int64_t i = 0; i < m; ++i) {
      std::fill(product.row(i), product.row(i) + n, S(0));
    }
    SubtractProduct(All(&q).Cut(0, 0, m, n), All(*u),
                    All(&product).Cut(0, 0, m, n), stop);
    *u = std::move(product);
  }
  return true;
}

}  // namespace millrace::ops
