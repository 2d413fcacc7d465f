// Products of float matrices: by oneDNN, cut into parts for the threads of a
// team, and large ones on AVX2 by our own loops (packed_product.h). The result
// has the same bits whichever threads are free: where it depends on how c is
// cut, only the sizes determine the cut. Two kinds are left to oneDNN's own
// threads and have the bits that it computes: a c of fewer than 64 rows and
// columns, whose threads share the terms of each element, and large products on
// AVX-512, whose threads share what they pack.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/product/matrix_problem.h"
#include "millrace/ops/product/product_part.h"

namespace millrace::ops {

// Returns the i-th product of the batch.
ProductTerm TermOf(const MatrixProblem& p, const float* a, const float* b,
                   int64_t i);

// Computes all products of the batch, each on one thread. For small products
// only, since oneDNN cannot be cancelled.
Status FloatProductBatch(KernelContext& ctx, const MatrixProblem& p,
                         const float* a, const float* b, float* c,
                         bool accumulate);

// Computes rows [row, row + rows) of the sum of the terms, which have one size,
// on the threads of `run`. Requires: all sizes are at least 1.
Status FloatProductRows(DnnlRun& run, absl::Span<const ProductTerm> terms,
                        int64_t row, int64_t rows, float* c, bool accumulate,
                        const FinishProduct* finish = nullptr);

}  // namespace millrace::ops
