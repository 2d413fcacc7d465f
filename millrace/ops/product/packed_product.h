// Large products of floats on AVX2 by our own loops: the second factor is
// packed once, and threads take parts of c one by one as they are free. oneDNN
// cuts c into equal shares, so the slowest core decides. Two threads on Zen 3,
// 1024 x 1024 times 1024 x 1024: equal shares take 12.5 ms and these loops 12.4
// while the cores are alike, 20.5 and 15.0 while one is slow.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/product/product_part.h"

namespace millrace::ops {

// Returns whether this machine has AVX2 and FMA.
bool HasPackedProducts();

// Computes rows [row, row + rows) of c = or += the sum of the terms, which have
// the same m and n, on the threads of `run`. The terms' k alone determines the
// order in which an element is added up. Packed factors are allocated by the
// allocator, about 8 MB and 100 KB a thread.
Status PackedProductRows(DnnlRun& run, absl::Span<const ProductTerm> terms,
                         int64_t row, int64_t rows, float* c, bool accumulate,
                         const FinishProduct* finish);

}  // namespace millrace::ops
