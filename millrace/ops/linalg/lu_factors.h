// Triangular factors of square matrices.
#pragma once

#include <cmath>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/triangle.h"

namespace millrace::ops {

// P A = L U with rows exchanged so that pivots are large; L has ones on its
// diagonal and lies below it.
template <class S>
struct LuFactors {
  Matrix<S> lu;
  CountedVector<int64_t> order;  // row i of P A is row order[i] of A
  bool odd = false;              // the permutation is odd
  bool singular = false;         // a pivot is 0

  // Returns whether to take the matrix as one that has an inverse. As in stock,
  // that the first pivot is NaN says that it has none, and others may be.
  bool IsInvertible() const {
    return !singular && (lu.size() == 0 || std::abs(lu(0, 0)) > 0);
  }
};

// As many columns are factored one by one, more in halves. So the products of
// small matrices are rounded before they are subtracted: that a matrix has no
// inverse is found as it is by hand.
inline constexpr int64_t kFewColumns = 16, kSmallMatrix = 32;

// Factors columns [begin, end) of rows from `begin` on.
template <class S>
void FactorColumns(int64_t begin, int64_t end, LuFactors<S>* f,
                   StopFlag& stop) {
  Matrix<S>& a = f->lu;
  const int64_t n = a.rows();
  for (int64_t k = begin; k < end; ++k) {
    if (stop.IsSet((n - k) * (end - k))) return;
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
      f->singular = true;
      continue;
    }
    if (pivot != k) {
      a.SwapRows(pivot, k);
      std::swap(f->order[pivot], f->order[k]);
      f->odd = !f->odd;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      a(i, k) /= a(k, k);
      SubtractTimes(a(i, k), a.row(k) + k + 1, end - k - 1, a.row(i) + k + 1);
    }
  }
}

// Does the same in halves: the left ones, then what they leave of the right
// ones.
template <class S>
void FactorInHalves(int64_t begin, int64_t end, LuFactors<S>* f,
                    StopFlag& stop) {
  const int64_t count = end - begin;
  if (count <= kFewColumns || f->lu.rows() <= kSmallMatrix) {
    return FactorColumns(begin, end, f, stop);
  }
  const int64_t half = HalfOf(count, kFewColumns), middle = begin + half;
  FactorInHalves(begin, middle, f, stop);
  const Block<S> all = All(&f->lu);
  const int64_t below = all.rows - middle, right = end - middle;
  const Block<S> top = all.Cut(begin, middle, half, right);
  SolveTriangle(all.Cut(begin, begin, half, half), Triangle::kLower,
                Diagonal::kOnes, top, stop);
  SubtractProduct(all.Cut(middle, begin, below, half), top,
                  all.Cut(middle, middle, below, right), stop);
  FactorInHalves(middle, end, f, stop);
}

template <class S>
LuFactors<S> FactorLu(Matrix<S> a, StopFlag& stop) {
  LuFactors<S> f;
  const int64_t n = a.rows();
  f.lu = std::move(a);
  f.order.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) f.order[i] = i;
  FactorInHalves(0, n, &f, stop);
  return f;
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

}  // namespace millrace::ops
