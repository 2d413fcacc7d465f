// Blocked matrix products: panels of both operands are packed so that the
// innermost loop reads them in order, and a small block of c stays in
// registers.
#include <algorithm>
#include <vector>

#include "millrace/ops/product/gemm_block.h"
#include "millrace/ops/product/gemm_block_loop.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

// The size of the block of c in registers, and of what is packed at a time:
// both panels together stay in the second-level cache.
constexpr int kRows = kGemmRows;
template <class T>
constexpr int kColumns = kGemmColumns<T>;
constexpr int64_t kBlockRows = 192;
constexpr int64_t kBlockColumns = 256;
constexpr int64_t kBlockDepth = 256;

// Packs panels of `width` lines: element (line, d) is panel[d * width + line].
// Lines from `lines` on are 0.
template <class T>
void Pack(const T* x, int64_t line_stride, int64_t depth_stride, int64_t lines,
          int64_t depth, int width, T* out) {
  for (int64_t first = 0; first < lines; first += width) {
    const int64_t count = std::min<int64_t>(width, lines - first);
    const T* from = x + first * line_stride;
    for (int64_t d = 0; d < depth; ++d, from += depth_stride, out += width) {
      for (int64_t i = 0; i < count; ++i) out[i] = from[i * line_stride];
      for (int64_t i = count; i < width; ++i) out[i] = T(0);
    }
  }
}

template <class T>
GemmBlock<T> BestGemmBlock() {
#ifdef __x86_64__
  static const GemmBlock<T> best =
      __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl")
          ? Avx512GemmBlock<T>()
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? Avx2GemmBlock<T>()
          : GemmBlockLoop<T, 16>::Run;
  return best;
#else
  return GemmBlockLoop<T, 16>::Run;
#endif
}

template <class T>
struct Strided {
  const T* data;
  int64_t row_stride, column_stride;
};

// Computes the block of c at (row, column).
template <class T>
void RunTile(Strided<T> a, Strided<T> b, int64_t k, int64_t n, int64_t row,
             int64_t rows, int64_t column, int64_t columns, T* c,
             bool accumulate) {
  const GemmBlock<T> block = BestGemmBlock<T>();
  const int64_t depth_limit = std::min(k, kBlockDepth);
  std::vector<T> a_panels(RoundUp(rows, kRows) * depth_limit);
  std::vector<T> b_panels(RoundUp(columns, kColumns<T>) * depth_limit);
  for (int64_t d = 0; d < k; d += kBlockDepth) {
    const int64_t depth = std::min(kBlockDepth, k - d);
    Pack(a.data + row * a.row_stride + d * a.column_stride, a.row_stride,
         a.column_stride, rows, depth, kRows, a_panels.data());
    Pack(b.data + d * b.row_stride + column * b.column_stride, b.column_stride,
         b.row_stride, columns, depth, kColumns<T>, b_panels.data());
    for (int64_t j = 0; j < columns; j += kColumns<T>) {
      for (int64_t i = 0; i < rows; i += kRows) {
        block(a_panels.data() + i * depth, b_panels.data() + j * depth, depth,
              c + (row + i) * n + column + j, n,
              std::min<int64_t>(kRows, rows - i),
              std::min<int64_t>(kColumns<T>, columns - j), accumulate || d > 0);
      }
    }
  }
}

}  // namespace

template <class T>
Status BlockedGemm(KernelContext& ctx, const MatrixProblem& p, const T* a,
                   const T* b, T* c, bool accumulate) {
  const int64_t row_blocks = (p.m + kBlockRows - 1) / kBlockRows;
  const int64_t column_blocks = (p.n + kBlockColumns - 1) / kBlockColumns;
  const int64_t blocks = row_blocks * column_blocks;
  const int64_t block_rows = std::min(p.m, kBlockRows);
  const int64_t block_columns = std::min(p.n, kBlockColumns);
  // About 16 multiply-adds take a nanosecond.
  const int64_t nanos =
      std::max<int64_t>(1, block_rows * block_columns * p.k / 16);
  return ctx.ParallelFor(
      p.batches * blocks, nanos, [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item) {
          const int64_t batch = item / blocks;
          const int64_t row = item % blocks / column_blocks * kBlockRows;
          const int64_t column = item % blocks % column_blocks * kBlockColumns;
          const int64_t ai = p.a_index.empty() ? batch : p.a_index[batch];
          const int64_t bi = p.b_index.empty() ? batch : p.b_index[batch];
          const Strided<T> as{a + ai * p.m * p.k, p.transpose_a ? 1 : p.k,
                              p.transpose_a ? p.m : 1};
          const Strided<T> bs{b + bi * p.k * p.n, p.transpose_b ? 1 : p.n,
                              p.transpose_b ? p.k : 1};
          RunTile(as, bs, p.k, p.n, row, std::min(kBlockRows, p.m - row),
                  column, std::min(kBlockColumns, p.n - column),
                  c + batch * p.m * p.n, accumulate);
        }
      });
}

template Status BlockedGemm<double>(KernelContext&, const MatrixProblem&,
                                    const double*, const double*, double*,
                                    bool);
template Status BlockedGemm<uint16_t>(KernelContext&, const MatrixProblem&,
                                      const uint16_t*, const uint16_t*,
                                      uint16_t*, bool);
template Status BlockedGemm<uint32_t>(KernelContext&, const MatrixProblem&,
                                      const uint32_t*, const uint32_t*,
                                      uint32_t*, bool);
template Status BlockedGemm<uint64_t>(KernelContext&, const MatrixProblem&,
                                      const uint64_t*, const uint64_t*,
                                      uint64_t*, bool);

}  // namespace millrace::ops
