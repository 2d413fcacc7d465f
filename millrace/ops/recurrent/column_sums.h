// Products with the weights, and sums over batch and time, for recurrent cells
// and their gradients.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {

// Sets c, which has p.m * p.n elements of p.type, to the product of a and b;
// to zeros if there is nothing to add up.
Status ProductOrZero(KernelContext& ctx, const MatrixProduct& product,
                     const MatrixProblem& p, const char* a, const char* b,
                     char* c);

// A sum over rows for each of some columns: of a[row], or of a[row] times the
// values of that row, where there are any. Sums are added up in float.
template <class T>
struct RowSum {
  int64_t columns = 0;
  const T* a = nullptr;  // rows are `stride` elements apart
  int64_t stride = 0;
  // The values of the first rows, and of those behind them; their rows are
  // contiguous. Null: there are none.
  const T *first = nullptr, *rest = nullptr;
  T* sum = nullptr;
};

// Sets all sums over `rows` rows; the first `first_rows` of them have their
// values in `first`. The order of additions is that of the rows.
template <class T>
Status SetRowSums(KernelContext& ctx, int64_t rows, int64_t first_rows,
                  absl::Span<const RowSum<T>> sums);
extern template Status SetRowSums<float>(KernelContext&, int64_t, int64_t,
                                         absl::Span<const RowSum<float>>);
extern template Status SetRowSums<Half>(KernelContext&, int64_t, int64_t,
                                        absl::Span<const RowSum<Half>>);

}  // namespace millrace::ops
