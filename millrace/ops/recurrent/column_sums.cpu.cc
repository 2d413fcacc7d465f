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
Status SetRowSums(KernelContext& ctx, int64_t rows, int64_t first_rows,
                  absl::Span<const RowSum<T>> sums) {
  for (const RowSum<T>& s : sums) {
    if (s.columns == 0) continue;
    MR_ASSIGN_OR_RETURN(
        Tensor wide,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({s.columns})));
    float* const to = wide.mutable_flat<float>().data();
    const int64_t pieces = (s.columns + kColumnsAtATime - 1) / kColumnsAtATime;
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        pieces, rows * kColumnsAtATime / 4 + 1,
        [&](int64_t begin_piece, int64_t end_piece) {
          const int64_t begin = begin_piece * kColumnsAtATime;
          const int64_t end = std::min(s.columns, end_piece * kColumnsAtATime);
          std::fill(to + begin, to + end, 0.0f);
          for (int64_t r = 0; r < rows; ++r) {
            const T* x = s.a + r * s.stride;
            if (s.first == nullptr) {
              for (int64_t c = begin; c < end; ++c) {
                to[c] += static_cast<float>(x[c]);
              }
              continue;
            }
            const T* y = r < first_rows ? s.first + r * s.columns
                                        : s.rest + (r - first_rows) * s.columns;
            for (int64_t c = begin; c < end; ++c) {
              to[c] += static_cast<float>(x[c]) * static_cast<float>(y[c]);
            }
          }
          for (int64_t c = begin; c < end; ++c) {
            s.sum[c] = static_cast<T>(to[c]);
          }
        }));
  }
  return OkStatus();
}

template Status SetRowSums<float>(KernelContext&, int64_t, int64_t,
                                  absl::Span<const RowSum<float>>);
template Status SetRowSums<Half>(KernelContext&, int64_t, int64_t,
                                 absl::Span<const RowSum<Half>>);

}  // namespace millrace::ops
