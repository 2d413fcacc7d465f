// Matrices for the cases of this folder.
#pragma once

#include "millrace/tensor/dispatch.h"
#include "tests/cases/case.h"

namespace millrace::cases {

// How far results in this type may be from stock's: rounding grows with the
// condition of the matrices below.
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

// Far from singular: 3 and more on the diagonal, small elements elsewhere. The
// lower half is that of a positive definite matrix if the diagonal is real.
inline Value MatrixValue(DataType t, int64_t n, bool real_diagonal) {
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
              diagonal && real_diagonal
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
inline Value Regular(DataType t, int64_t n) { return MatrixValue(t, n, false); }
inline Value Definite(DataType t, int64_t n) { return MatrixValue(t, n, true); }

}  // namespace millrace::cases
