// Rectangles of matrices, and the product by which factorizations of large
// matrices do most of their work.
#pragma once

#include "millrace/ops/linalg/matrix.h"

namespace millrace::ops {

// A rectangle of a row-major matrix, which must outlive it.
template <class S>
struct Block {
  S* at = nullptr;
  int64_t rows = 0, cols = 0, stride = 0;

  Block(S* from, int64_t r, int64_t c, int64_t distance)
      : at(from), rows(r), cols(c), stride(distance) {}

  S* row(int64_t r) const { return at + r * stride; }
  S& operator()(int64_t r, int64_t c) const { return row(r)[c]; }
  Block Cut(int64_t r, int64_t c, int64_t height, int64_t width) const {
    return {row(r) + c, height, width, stride};
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as a pointer
  operator Block<const S>() const { return {at, rows, cols, stride}; }
};

template <class S>
Block<S> All(Matrix<S>* m) {
  return {m->data(), m->rows(), m->cols(), m->cols()};
}
template <class S>
Block<const S> All(const Matrix<S>& m) {
  return {m.data(), m.rows(), m.cols(), m.cols()};
}

// Whether the second factor of a product is b or its adjoint.
enum class Second { kAsGiven, kAdjoint };
// Which elements of a product are wanted: all, or those on and below the
// diagonal, where others may be computed or left.
enum class Wanted { kAll, kLowerHalf };

// Computes c -= a b, or a b^H. Products and sums may be fused. c must not
// overlap a and b. Returns early once `stop` is set.
template <class S>
void SubtractProduct(std::type_identity_t<Block<const S>> a,
                     std::type_identity_t<Block<const S>> b, Block<S> c,
                     StopFlag& stop, Second second = Second::kAsGiven,
                     Wanted wanted = Wanted::kAll);

// Returns a b. Products of small matrices are rounded before they are added.
template <class S>
Matrix<S> Product(const Matrix<S>& a, const Matrix<S>& b, StopFlag& stop) {
  constexpr int64_t kSmall = 16;
  Matrix<S> c(a.rows(), b.cols());
  if (a.cols() > kSmall) {
    Matrix<S> minus = a;
    minus.Scale(S(-1));
    SubtractProduct(All(minus), All(b), All(&c), stop);
    return c;
  }
  for (int64_t i = 0; i < a.rows(); ++i) {
    if (stop.IsSet(a.cols() * b.cols())) break;
    for (int64_t k = 0; k < a.cols(); ++k) {
      SubtractTimes(-a(i, k), b.row(k), b.cols(), c.row(i));
    }
  }
  return c;
}

}  // namespace millrace::ops
