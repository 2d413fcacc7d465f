// Random matrices, and products without any of what tests look at.
#pragma once

#include <limits>

#include "millrace/base/random.h"
#include "millrace/ops/linalg/matrix.h"

namespace millrace::ops {

// Returns numbers in [-1, 1), the same at each call.
template <class S>
Matrix<S> RandomMatrix(int64_t rows, int64_t cols, uint32_t seed = 1) {
  Rng random(seed);
  const auto next = [&random] {
    return static_cast<RealType<S>>(2 * random.Double() - 1);
  };
  Matrix<S> m(rows, cols);
  for (int64_t i = 0; i < m.size(); ++i) {
    if constexpr (kIsReal<S>) {
      m.data()[i] = next();
    } else {
      const auto real = next();
      m.data()[i] = S(real, next());
    }
  }
  return m;
}

template <class S>
Matrix<S> PlainProduct(const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(a.rows(), b.cols());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.cols(); ++k) {
      for (int64_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

// Returns the largest difference, as a part of the largest element.
template <class S>
double Distance(const Matrix<S>& a, const Matrix<S>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return std::numeric_limits<double>::infinity();
  }
  double far = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a.data()[i] - b.data()[i]);
    if (!(d <= far)) far = d;  // NaN stays
  }
  return far / std::max<double>(1, a.LargestElement());
}

// Returns how far rounding errors may take a result of sums of `n` products.
template <class S>
double Rounding(int64_t n) {
  return 4.0 * static_cast<double>(n + 4) *
         std::numeric_limits<RealType<S>>::epsilon();
}

}  // namespace millrace::ops
