#include "millrace/ops/recurrent/column_sums.h"

#include <algorithm>
#include <cstring>

namespace millrace::ops {
namespace {

// Threads take this many columns at a time, whatever their number.
constexpr int64_t kColumnsAtATime = 64;

}  // namespace

Status ProductOrZero(KernelContext& ctx, const MatrixProduct& product,
                     const MatrixProblem& p, const char* a, const char* b,
                     char* c) {
  if (p.m == 0 || p.n == 0) return OkStatus();
  if (p.k == 0) {
    std::memset(c, 0, static_cast<size_t>(p.m * p.n) * SizeOf(p.type));
    return OkStatus();
  }
  return product.Run(ctx, p, a, b, c);
}

template <class T>
Status AddColumnSums(KernelContext& ctx, int64_t rows, int64_t columns,
                     RowsOf<T> a, RowsOf<T> b, float* sums) {
  if (rows == 0 || columns == 0) return OkStatus();
  const int64_t pieces = (columns + kColumnsAtATime - 1) / kColumnsAtATime;
  return ctx.ParallelFor(
      pieces, rows * kColumnsAtATime / 4 + 1,
      [&](int64_t begin_piece, int64_t end_piece) {
        const int64_t begin = begin_piece * kColumnsAtATime;
        const int64_t end = std::min(columns, end_piece * kColumnsAtATime);
        for (int64_t r = 0; r < rows; ++r) {
          const T* x = a.at + r * a.stride;
          if (b.at == nullptr) {
            for (int64_t c = begin; c < end; ++c) {
              sums[c] += static_cast<float>(x[c]);
            }
            continue;
          }
          const T* y = b.at + r * b.stride;
          for (int64_t c = begin; c < end; ++c) {
            sums[c] += static_cast<float>(x[c]) * static_cast<float>(y[c]);
          }
        }
      });
}

template Status AddColumnSums<float>(KernelContext&, int64_t, int64_t,
                                     RowsOf<float>, RowsOf<float>, float*);
template Status AddColumnSums<Half>(KernelContext&, int64_t, int64_t,
                                    RowsOf<Half>, RowsOf<Half>, float*);

}  // namespace millrace::ops
