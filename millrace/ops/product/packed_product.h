// Large products of floats on AVX2 by loops of our own: the second factor is
// packed once, parts of c are taken one by one by whoever is free. oneDNN cuts
// them into equal shares, so the slowest core decides. Two threads on Zen 3,
// 1024 x 1024 times 1024 x 1024: equal shares 12.5 ms and these loops 12.4
// while the cores were alike, 20.5 and 15.0 while one was slow.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/product/product_part.h"

namespace millrace::ops {

// Whether this machine has AVX2 and FMA.
bool PackedProductsHere();

// Rows [row, row + rows) of c = or += the sum of the terms, which have the same
// m and n, by the threads of `run`. An element is added up in an order that
// follows from the terms' k alone. Memory for what is packed is the
// allocator's, some 8 MB and 100 KB a thread.
Status PackedProductRows(DnnlRun& run, absl::Span<const ProductTerm> terms,
                         int64_t row, int64_t rows, float* c, bool accumulate,
                         const FinishProduct* finish);

}  // namespace millrace::ops
