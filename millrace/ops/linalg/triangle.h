// Solutions of systems with triangular matrices.
#pragma once

#include "millrace/ops/linalg/lines.h"
#include "millrace/ops/linalg/update.h"

namespace millrace::ops {

enum class Triangle { kLower, kUpper };
enum class Diagonal { kOnes, kAsGiven };

// Triangles as large as this are solved row by row, larger ones in halves.
inline constexpr int64_t kSmallTriangle = 16;
// The call of a loop over vectors costs more than as short a line.
inline constexpr int64_t kShortLine = 16;
// Returns where a triangle of `n` rows is cut in two.
inline int64_t HalfOf(int64_t n, int64_t small) {
  return (n / 2 + small - 1) / small * small;
}

template <class S>
void SolveSmallTriangle(Block<const S> t, Triangle triangle, Diagonal diagonal,
                        Block<S> b) {
  const bool lower = triangle == Triangle::kLower;
  for (int64_t step = 0; step < t.rows; ++step) {
    const int64_t i = lower ? step : t.rows - 1 - step;
    S* x = b.row(i);
    const int64_t begin = lower ? 0 : i + 1, end = lower ? i : t.rows;
    for (int64_t k = begin; k < end; ++k) {
      if (b.cols < kShortLine) {
        SubtractTimes(t(i, k), b.row(k), b.cols, x);
      } else {
        AddTimes<S>(-t(i, k), b.row(k), b.cols, x);
      }
    }
    if (diagonal == Diagonal::kOnes) continue;
    for (int64_t j = 0; j < b.cols; ++j) x[j] /= t(i, i);
  }
}

// Solves L x = b (or U x = b) in place of b. The diagonal is taken as ones or
// as given.
template <class S>
void SolveTriangle(std::type_identity_t<Block<const S>> t, Triangle triangle,
                   Diagonal diagonal, Block<S> b, StopFlag& stop) {
  if (stop.IsSet(t.rows * b.cols)) return;
  if (t.rows <= kSmallTriangle) {
    return SolveSmallTriangle(t, triangle, diagonal, b);
  }
  const int64_t n = t.rows, half = HalfOf(n, kSmallTriangle), rest = n - half;
  const Block<S> top = b.Cut(0, 0, half, b.cols);
  const Block<S> bottom = b.Cut(half, 0, rest, b.cols);
  const Block<const S> first = t.Cut(0, 0, half, half);
  const Block<const S> last = t.Cut(half, half, rest, rest);
  if (triangle == Triangle::kLower) {
    SolveTriangle(first, triangle, diagonal, top, stop);
    SubtractProduct(t.Cut(half, 0, rest, half), top, bottom, stop);
    SolveTriangle(last, triangle, diagonal, bottom, stop);
  } else {
    SolveTriangle(last, triangle, diagonal, bottom, stop);
    SubtractProduct(t.Cut(0, half, half, rest), bottom, top, stop);
    SolveTriangle(first, triangle, diagonal, top, stop);
  }
}
template <class S>
void SolveTriangle(const Matrix<S>& t, Triangle triangle, Diagonal diagonal,
                   Matrix<S>* b, StopFlag& stop) {
  SolveTriangle(All(t), triangle, diagonal, All(b), stop);
}

// Solves x L^H = b in place of b, for a small lower triangle.
template <class S>
void SolveSmallFromRight(Block<S> l, Block<S> b) {
  constexpr int64_t kRows = 64;
  S columns[kSmallTriangle][kRows];  // a transposed group of rows
  for (int64_t r = 0; r < b.rows; r += kRows) {
    const int64_t rows = std::min(kRows, b.rows - r);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < l.rows; ++j) columns[j][i] = b(r + i, j);
    }
    for (int64_t j = 0; j < l.rows; ++j) {
      for (int64_t k = 0; k < j; ++k) {
        SubtractTimes(ConjugateOf(l(j, k)), columns[k], rows, columns[j]);
      }
      const RealType<S> diagonal = std::real(l(j, j));
      for (int64_t i = 0; i < rows; ++i) columns[j][i] /= diagonal;
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < l.rows; ++j) b(r + i, j) = columns[j][i];
    }
  }
}

// Does it for any lower triangle, whose diagonal is real.
template <class S>
void SolveFromRight(Block<S> l, Block<S> b, StopFlag& stop) {
  if (stop.IsSet(l.rows * b.rows)) return;
  if (l.rows <= kSmallTriangle) return SolveSmallFromRight(l, b);
  const int64_t n = l.rows, half = HalfOf(n, kSmallTriangle), rest = n - half;
  const Block<S> left = b.Cut(0, 0, b.rows, half);
  const Block<S> right = b.Cut(0, half, b.rows, rest);
  SolveFromRight(l.Cut(0, 0, half, half), left, stop);
  SubtractProduct(left, l.Cut(half, 0, rest, half), right, stop,
                  Second::kAdjoint);
  SolveFromRight(l.Cut(half, half, rest, rest), right, stop);
}

}  // namespace millrace::ops
