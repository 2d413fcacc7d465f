// Matrices for the cases of this folder.
#pragma once

#include "millrace/tensor/dispatch.h"
#include "tests/cases/case.h"

namespace millrace::cases {

inline constexpr DataType kC = DataType::kComplex128;

// Returns how far results of this type may be from stock's: rounding errors
// grow with the condition number of the matrices below.
inline double MatrixTolerance(DataType t) {
  switch (t) {
    case DataType::kHalf:
      return 5e-2;
    case DataType::kFloat:
    case DataType::kComplex64:
      return 2e-4;
    default:
      return 1e-10;
  }
}

enum class Diagonal { kReal, kComplex };

// Returns a matrix that is far from singular: 3 and more on the diagonal, small
// elements elsewhere. The lower half is that of a positive definite matrix if
// the diagonal is real.
inline Value MatrixValue(DataType t, int64_t n, Diagonal diagonal_kind) {
  Tensor m = Tensor::Zeros(t, {n, n});
  const Status status =
      Dispatch(Join<FloatTypes, ComplexTypes>{}, t, [&]<class T>() {
        auto to = m.mutable_flat<T>();
        for (int64_t i = 0; i < n * n; ++i) {
          const bool diagonal = i % (n + 1) == 0;
          const double re =
              diagonal ? 3 + static_cast<double>(i) / 10
                       : static_cast<double>((i * 7 + 3) % 11) / 11 - 0.5;
          const double im =
              diagonal && diagonal_kind == Diagonal::kReal
                  ? 0
                  : static_cast<double>((i * 5 + 2) % 7) / 21 - 0.15;
          if constexpr (std::is_same_v<T, Complex64> ||
                        std::is_same_v<T, Complex128>) {
            using R = typename T::value_type;
            to[i] = T(static_cast<R>(re), static_cast<R>(im));
          } else {
            to[i] = T(re);
          }
        }
        return OkStatus();
      });
  MR_CHECK(status.ok(), status.ToString());
  return m;
}
inline Value Invertible(DataType t, int64_t n) {
  return MatrixValue(t, n, Diagonal::kComplex);
}
inline Value Definite(DataType t, int64_t n) {
  return MatrixValue(t, n, Diagonal::kReal);
}

// Returns a matrix without an inverse, of which Gauss's method leaves exactly 0
// only where a third is rounded before, and its products after.
inline Value SingularByRounding(DataType t) {
  return Of(t, {2, 2}, {3, 6, 1, 2});
}

// Adds cases of one matrix, of none, and of all types.
inline void SquareCases(CaseList& c, Value (*make)(DataType, int64_t)) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 5}) {
      c.Ok({make(t, n)}).Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 3, 3})});
    c.Ok({Empty(t, {2, 0, 0})});
  });
}
inline void SquareErrors(CaseList& c) {
  c.Error({F32({2, 3})}, kInvalid, "Input matrix must be square.");
  c.Error({F32({3})}, kInvalid, "Input tensor 0 must have rank >= 2, got 1");
  c.BuildError({F32({2, 3})}, {}, "Dimensions must be equal, but are ");
  c.BuildError({F32({2})}, {}, "Shape must be at least rank 2 but is rank 1");
}

}  // namespace millrace::cases
