// Scatters slices into a tensor, by coordinates.
#pragma once

#include <algorithm>

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/ops/indexing/nd_index.h"

namespace millrace::ops {

// Changes the slices of `out` that `index` names by those of `updates`; leaves
// out rows that are out of range. Changes them in the order of the rows on each
// thread, which has its own columns of the slices: an element is the same for
// any number of threads.
template <ScatterHow kHow, class T>
Status ScatterSlices(KernelContext& ctx, const Tensor& updates,
                     const NdIndex& index, Tensor* out) {
  const T* src = reinterpret_cast<const T*>(updates.data());
  T* dst = reinterpret_cast<T*>(out->mutable_data());
  const int64_t slice = index.slice();
  const int64_t piece = 64;
  const int64_t pieces = (slice + piece - 1) / piece;
  const int64_t cost = index.rows() * (5 + std::min(slice, piece) / 4);
  return ctx.ParallelFor(pieces, cost, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * piece;
    const int64_t stop = std::min(slice, end * piece);
    index.ForEach(0, index.rows(), [&](int64_t r, int64_t offset) {
      if (offset < 0) return;
      ScatterSlice<kHow, T>(dst + offset + first, src + r * slice + first,
                            stop - first);
    });
  });
}

}  // namespace millrace::ops
