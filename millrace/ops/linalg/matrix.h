// A dense matrix for the kernels of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/stop_flag.h"

namespace millrace::ops {

template <class S>
struct RealOf {
  using type = S;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class S>
using RealType = typename RealOf<S>::type;
template <class S>
inline constexpr bool kIsReal = std::is_same_v<S, RealType<S>>;

template <class S>
S ConjugateOf(S x) {
  if constexpr (kIsReal<S>) {
    return x;
  } else {
    return std::conj(x);
  }
}
template <class S>
RealType<S> SquareOf(S x) {
  if constexpr (kIsReal<S>) {
    return x * x;
  } else {
    return x.real() * x.real() + x.imag() * x.imag();
  }
}

// Computes y -= factor * x. For short lines, and for those whose products must
// be rounded before they are subtracted; lines.h is for long ones.
template <class S>
void SubtractTimes(S factor, const S* x, int64_t n, S* y) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] -= factor * x[i];
}

// Row-major. For one thread.
template <class S>
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols)
      : rows_(rows), cols_(cols), data_(static_cast<size_t>(rows * cols)) {}
  static Matrix Identity(int64_t rows, int64_t cols) {
    Matrix m(rows, cols);
    for (int64_t i = 0; i < std::min(rows, cols); ++i) m(i, i) = S(1);
    return m;
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t size() const { return rows_ * cols_; }
  S& operator()(int64_t r, int64_t c) { return row(r)[c]; }
  const S& operator()(int64_t r, int64_t c) const { return row(r)[c]; }
  S* data() { return data_.data(); }
  const S* data() const { return data_.data(); }
  S* row(int64_t r) { return data_.data() + r * cols_; }
  const S* row(int64_t r) const { return data_.data() + r * cols_; }
  void SwapRows(int64_t a, int64_t b) {
    if (a != b) std::swap_ranges(row(a), row(a) + cols_, row(b));
  }

  Matrix Adjoint() const {
    return Turned([](S x) { return ConjugateOf(x); });
  }
  Matrix Transposed() const {
    return Turned([](S x) { return x; });
  }

  // Returns the largest absolute value; 0 for an empty matrix.
  RealType<S> LargestElement() const {
    RealType<S> largest = 0;
    for (const S& x : data_) largest = std::max(largest, std::abs(x));
    return largest;
  }
  void Scale(S factor) {
    for (S& x : data_) x *= factor;
  }

 private:
  // By tiles: rows that are a power of two apart displace each other from the
  // first cache.
  template <class F>
  Matrix Turned(F element) const {
    constexpr int64_t kTile = 16;
    Matrix m(cols_, rows_);
    for (int64_t r = 0; r < rows_; r += kTile) {
      const int64_t below = std::min(r + kTile, rows_);
      for (int64_t c = 0; c < cols_; ++c) {
        for (int64_t i = r; i < below; ++i) m(c, i) = element((*this)(i, c));
      }
    }
    return m;
  }

  int64_t rows_ = 0, cols_ = 0;
  // Small matrices come by the thousand: these need no memory of their own.
  static constexpr size_t kInside = 16;
  absl::InlinedVector<S, kInside, CountedAllocator<S>> data_;
};

}  // namespace millrace::ops
