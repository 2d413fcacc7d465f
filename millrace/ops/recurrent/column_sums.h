// Products with the weights, and sums over batch and time, for recurrent cells
// and their gradients.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {

// Sets c, which has p.m * p.n elements of p.type, to the product of a and b;
// to zeros if there is nothing to add up.
Status ProductOrZero(KernelContext& ctx, const MatrixProduct& product,
                     const MatrixProblem& p, const char* a, const char* b,
                     char* c);

// Rows of numbers, `stride` elements apart.
template <class T>
struct RowsOf {
  const T* at = nullptr;
  int64_t stride = 0;
};

// Adds up to sums[c], for each of the columns, a[r, c] * b[r, c] over all rows,
// or a[r, c] if b.at is null. The order of the sums is that of the rows.
template <class T>
Status AddColumnSums(KernelContext& ctx, int64_t rows, int64_t columns,
                     RowsOf<T> a, RowsOf<T> b, float* sums);
extern template Status AddColumnSums<float>(KernelContext&, int64_t, int64_t,
                                            RowsOf<float>, RowsOf<float>,
                                            float*);
extern template Status AddColumnSums<Half>(KernelContext&, int64_t, int64_t,
                                           RowsOf<Half>, RowsOf<Half>, float*);

}  // namespace millrace::ops
