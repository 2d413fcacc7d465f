// Singular values of matrices with two diagonals, and what makes such matrices
// of others.
#pragma once

#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/qr_factors.h"
#include "millrace/ops/spectrum/rotations.h"

namespace millrace::ops {

// A real square matrix whose elements are on the diagonal and to its right.
template <class R>
struct Bidiagonal {
  CountedVector<R> diagonal, right;

  int64_t size() const { return static_cast<int64_t>(diagonal.size()); }
};

// The reflections that make a matrix bidiagonal, for MakeUnitary.
template <class S>
struct BidiagonalReflections {
  Matrix<S> left, right;
  CountedVector<S> left_taus, right_taus;
};

// Computes A = U B V^H by reflections from both sides, for A with at least as
// many rows as columns.
//
// What is left of A is read and written once for each column: a row takes both
// reflections, and adds its part of the product that the next one from the left
// needs.
template <class S>
Bidiagonal<RealType<S>> MakeBidiagonal(Matrix<S> a,
                                       BidiagonalReflections<S>* of,
                                       StopFlag& stop) {
  const int64_t m = a.rows(), n = a.cols();
  Bidiagonal<RealType<S>> b;
  b.diagonal.resize(static_cast<size_t>(n));
  b.right.resize(static_cast<size_t>(n));
  of->left_taus.assign(static_cast<size_t>(n), S(0));
  of->right_taus = of->left_taus;
  Matrix<S> rights(n, n);  // a reflection's vector a row
  // Column k below row k, and the products of its elements below the diagonal
  // with those to their right.
  CountedVector<S> column(static_cast<size_t>(m));
  CountedVector<S> products(static_cast<size_t>(n) + 1), v(products),
      w(products);
  for (int64_t i = 0; i < m && n > 0; ++i) {
    column[i] = a(i, 0);
    if (i > 0) AddTimes(ConjugateOf(a(i, 0)), a.row(i), n, products.data());
  }
  for (int64_t k = 0; k < n; ++k) {
    if (stop.IsSet(4 * (m - k) * (n - k))) break;
    const S head = column[0];
    const S left = of->left_taus[k] = MakeReflection(column.data(), m - k);
    a(k, k) = column[0];
    b.diagonal[k] = std::real(column[0]);
    const int64_t rest = n - k - 1;
    if (rest == 0) {
      for (int64_t i = k + 1; i < m; ++i) a(i, k) = column[i - k];
      continue;
    }
    // w is the adjoint of the left reflection's vector times A.
    S* const row = a.row(k) + k + 1;
    std::fill(w.begin(), w.begin() + rest, S(0));
    if (left != S(0)) {
      std::copy(row, row + rest, w.data());
      AddTimes(S(1) / ConjugateOf(head - column[0]), products.data() + 1, rest,
               w.data());
      AddTimes(-left, w.data(), rest, row);
    }
    // A row times the reflection's adjoint is the adjoint of the reflected
    // adjoint of the row.
    for (int64_t j = 0; j < rest; ++j) v[j] = ConjugateOf(row[j]);
    const S right = of->right_taus[k + 1] = MakeReflection(v.data(), rest);
    b.right[k] = std::real(v[0]);
    std::copy(v.data(), v.data() + rest, rights.row(k + 1) + k + 1);
    v[0] = S(1);
    for (int64_t j = 0; j < rest; ++j) v[j] = ConjugateOf(v[j]);
    const S cross = Dot(v.data(), w.data(), rest);
    for (int64_t i = k + 1; i < m; ++i) {
      S* const x = a.row(i) + k + 1;
      const S by = -column[i - k] * left;
      const S by_right =
          -ConjugateOf(right) * (Dot(v.data(), x, rest) + by * cross);
      x[-1] = column[i - k];
      AddTwoAndCollect(by, w.data(), by_right, v.data(), rest, x,
                       products.data());
      column[i - k - 1] = x[0];
      // The next column begins with row k + 1, whose products do not count.
      if (i == k + 1) std::fill(products.begin(), products.end(), S(0));
    }
  }
  of->right = rights.Transposed();
  of->left = std::move(a);
  return b;
}

// Removes an element right of the diagonal element `i`, which is 0, by rotating
// row i with those below it, up to `last`.
template <class S>
void ClearRow(int64_t i, int64_t last, Bidiagonal<RealType<S>>* b,
              RowRotations<S>* ut, StopFlag& stop) {
  using R = RealType<S>;
  R moving = std::exchange(b->right[i], R(0));
  for (int64_t k = i + 1; k <= last && moving != 0; ++k) {
    const PlaneRotation<R> g(b->diagonal[k], moving);
    b->diagonal[k] = g.c * b->diagonal[k] - g.s * moving;
    moving = k < last ? g.s * b->right[k] : R(0);
    if (k < last) b->right[k] *= g.c;
    ut->Add(g, k, i, stop);
  }
}

// Removes the element above the diagonal element `i`, which is 0, by rotating
// column i with those to its left, down to `first`.
template <class S>
void ClearColumn(int64_t first, int64_t i, Bidiagonal<RealType<S>>* b,
                 RowRotations<S>* vt, StopFlag& stop) {
  using R = RealType<S>;
  R moving = std::exchange(b->right[i - 1], R(0));
  for (int64_t k = i - 1; k >= first && moving != 0; --k) {
    const PlaneRotation<R> g(b->diagonal[k], moving);
    b->diagonal[k] = g.c * b->diagonal[k] - g.s * moving;
    moving = k > first ? g.s * b->right[k - 1] : R(0);
    if (k > first) b->right[k - 1] *= g.c;
    vt->Add(g, k, i, stop);
  }
}

// Returns the singular value of the last two rows and columns of a block that
// is closer to its last element.
template <class R>
R ShiftOf(const Bidiagonal<R>& b, int64_t first, int64_t last) {
  const R d = b.diagonal[last - 1], e = b.right[last - 1], f = b.diagonal[last],
          above = last - 1 > first ? b.right[last - 2] : R(0);
  const R square = f * f + e * e, cross = d * e;
  const R half = (d * d + above * above - square) / 2;
  const R by = half + std::copysign(std::hypot(half, cross), half);
  const R root = by == 0 ? square : square - cross * (cross / by);
  return root > 0 ? std::sqrt(root) : R(0);
}

// Takes one implicit step with that shift on the block [first, last], in which
// no element is 0.
template <class S>
void RotateBidiagonal(int64_t first, int64_t last, Bidiagonal<RealType<S>>* b,
                      RowRotations<S>* ut, RowRotations<S>* vt,
                      StopFlag& stop) {
  using R = RealType<S>;
  CountedVector<R>& d = b->diagonal;
  CountedVector<R>& e = b->right;
  const R shift = ShiftOf(*b, first, last);
  R x = (std::abs(d[first]) - shift) *
        (std::copysign(R(1), d[first]) + shift / d[first]);
  R z = e[first];
  for (int64_t k = first; k < last; ++k) {
    const PlaneRotation<R> right(x, z);
    if (k > first) e[k - 1] = right.c * x - right.s * z;
    x = right.c * d[k] - right.s * e[k];
    const R next = right.s * d[k] + right.c * e[k];
    z = -right.s * d[k + 1];
    const R below = right.c * d[k + 1];
    vt->Add(right, k, k + 1, stop);
    const PlaneRotation<R> left(x, z);
    d[k] = left.c * x - left.s * z;
    e[k] = left.c * next - left.s * below;
    d[k + 1] = left.s * next + left.c * below;
    ut->Add(left, k, k + 1, stop);
    if (k + 1 == last) break;
    x = e[k];
    z = -left.s * e[k + 1];
    e[k + 1] *= left.c;
  }
}

// Makes B diagonal, with elements of any sign and order, and rotates rows of
// the transposes of U and V in A = U B V^H, which may be null. Returns false if
// it does not converge.
template <class S>
bool MakeDiagonal(Bidiagonal<RealType<S>>* b, Matrix<S>* ut, Matrix<S>* vt,
                  StopFlag& stop) {
  using R = RealType<S>;
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon();
  constexpr int64_t kStepsEach = 30;
  CountedVector<R>& d = b->diagonal;
  CountedVector<R>& e = b->right;
  RowRotations<S> left(ut), right(vt);
  R norm = 0;
  for (int64_t i = 0; i < b->size(); ++i) {
    norm = std::max({norm, std::abs(d[i]), std::abs(e[i])});
  }
  const auto clear_if_small = [&](int64_t i) {
    if (std::abs(e[i]) <= kEpsilon * (std::abs(d[i]) + std::abs(d[i + 1])) ||
        std::abs(e[i]) <= kEpsilon * kEpsilon * norm) {
      e[i] = 0;
    }
    return e[i] == 0;
  };
  int64_t last = b->size() - 1, steps = 0;
  while (last > 0) {
    if (clear_if_small(last - 1)) {
      --last;
      continue;
    }
    int64_t first = last - 1;
    while (first > 0 && !clear_if_small(first - 1)) --first;
    if (++steps > kStepsEach * b->size()) return false;
    if (stop.IsSet(20 * (last - first))) break;
    // A diagonal element that is nothing but a rounding error ends the block.
    int64_t zero = last;
    while (zero >= first && std::abs(d[zero]) > kEpsilon * norm) --zero;
    if (zero >= first) {
      d[zero] = 0;
      if (zero < last) {
        ClearRow(zero, last, b, &left, stop);
      } else {
        ClearColumn(first, last, b, &right, stop);
      }
      continue;
    }
    RotateBidiagonal(first, last, b, &left, &right, stop);
  }
  left.Flush(stop);
  right.Flush(stop);
  return true;
}

}  // namespace millrace::ops
