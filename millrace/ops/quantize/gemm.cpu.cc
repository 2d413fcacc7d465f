// Panels of both operands hold pairs of neighbours in depth side by side, since
// processors multiply two pairs of 16-bit numbers and add both products to 32
// bits at once. The zero points of the operands are subtracted at the end, by
// sums of rows and columns.
#include "millrace/ops/quantize/gemm.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "millrace/base/memory/checked_size.h"

namespace millrace::ops {
namespace {

constexpr int kRows = 6;            // in a block
constexpr int kPanelColumns = 32;   // in a block, and in a panel of b
constexpr int64_t kBlockRows = 48;  // of a, packed at a time
constexpr int64_t kBlockDepth = 2048;
constexpr int64_t kBlockColumns = 256;

constexpr int64_t RoundUp(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Computes sums[i * kPanelColumns + j] = the sum over `pairs` pairs. a holds
// kRows consecutive pairs, b kPanelColumns.
using BlockFunction = void (*)(const int16_t* a, const int16_t* b,
                               int64_t pairs, int32_t* sums);

void BlockPlain(const int16_t* a, const int16_t* b, int64_t pairs,
                int32_t* sums) {
  std::fill(sums, sums + kRows * kPanelColumns, 0);
  for (int64_t p = 0; p < pairs; ++p) {
    for (int i = 0; i < kRows; ++i) {
      const int32_t first = a[2 * i], second = a[2 * i + 1];
      int32_t* to = sums + i * kPanelColumns;
      for (int j = 0; j < kPanelColumns; ++j) {
        to[j] += first * b[2 * j] + second * b[2 * j + 1];
      }
    }
    a += 2 * kRows;
    b += 2 * kPanelColumns;
  }
}

#if defined(__x86_64__)

int32_t PairAt(const int16_t* a, int i) {
  int32_t pair;
  std::memcpy(&pair, a + 2 * i, sizeof(pair));
  return pair;
}

__attribute__((target("avx2"))) void BlockAvx2(const int16_t* a,
                                               const int16_t* b, int64_t pairs,
                                               int32_t* sums) {
  for (int half = 0; half < kPanelColumns; half += 16) {
    __m256i acc[kRows][2];
    for (auto& row : acc) row[0] = row[1] = _mm256_setzero_si256();
    const int16_t* x = a;
    const int16_t* y = b + 2 * half;
    for (int64_t p = 0; p < pairs; ++p) {
      const __m256i y0 =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y));
      const __m256i y1 =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y + 16));
#pragma GCC unroll 6
      for (int i = 0; i < kRows; ++i) {
        const __m256i xi = _mm256_set1_epi32(PairAt(x, i));
        acc[i][0] = _mm256_add_epi32(acc[i][0], _mm256_madd_epi16(xi, y0));
        acc[i][1] = _mm256_add_epi32(acc[i][1], _mm256_madd_epi16(xi, y1));
      }
      x += 2 * kRows;
      y += 2 * kPanelColumns;
    }
    for (int i = 0; i < kRows; ++i) {
      int32_t* to = sums + i * kPanelColumns + half;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), acc[i][0]);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), acc[i][1]);
    }
  }
}

__attribute__((target("avx512f,avx512bw"))) void BlockAvx512(const int16_t* a,
                                                             const int16_t* b,
                                                             int64_t pairs,
                                                             int32_t* sums) {
  __m512i acc[kRows][2];
  for (auto& row : acc) row[0] = row[1] = _mm512_setzero_si512();
  for (int64_t p = 0; p < pairs; ++p) {
    const __m512i y0 = _mm512_loadu_si512(b);
    const __m512i y1 = _mm512_loadu_si512(b + 32);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      const __m512i xi = _mm512_set1_epi32(PairAt(a, i));
      acc[i][0] = _mm512_add_epi32(acc[i][0], _mm512_madd_epi16(xi, y0));
      acc[i][1] = _mm512_add_epi32(acc[i][1], _mm512_madd_epi16(xi, y1));
    }
    a += 2 * kRows;
    b += 2 * kPanelColumns;
  }
  for (int i = 0; i < kRows; ++i) {
    _mm512_storeu_si512(sums + i * kPanelColumns, acc[i][0]);
    _mm512_storeu_si512(sums + i * kPanelColumns + 16, acc[i][1]);
  }
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) void BlockVnni(
    const int16_t* a, const int16_t* b, int64_t pairs, int32_t* sums) {
  __m512i acc[kRows][2];
  for (auto& row : acc) row[0] = row[1] = _mm512_setzero_si512();
  for (int64_t p = 0; p < pairs; ++p) {
    const __m512i y0 = _mm512_loadu_si512(b);
    const __m512i y1 = _mm512_loadu_si512(b + 32);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      const __m512i xi = _mm512_set1_epi32(PairAt(a, i));
      acc[i][0] = _mm512_dpwssd_epi32(acc[i][0], xi, y0);
      acc[i][1] = _mm512_dpwssd_epi32(acc[i][1], xi, y1);
    }
    a += 2 * kRows;
    b += 2 * kPanelColumns;
  }
  for (int i = 0; i < kRows; ++i) {
    _mm512_storeu_si512(sums + i * kPanelColumns, acc[i][0]);
    _mm512_storeu_si512(sums + i * kPanelColumns + 16, acc[i][1]);
  }
}

#endif

BlockFunction BestBlock() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) {
    return __builtin_cpu_supports("avx512vnni") ? BlockVnni : BlockAvx512;
  }
  if (__builtin_cpu_supports("avx2")) return BlockAvx2;
#endif
  return BlockPlain;
}

// Packed rows of a at some depth, as panels of kRows.
class PackedRows {
 public:
  explicit PackedRows(int64_t depth)
      : panels_(kBlockRows * RoundUp(depth, 2)), line_(RoundUp(depth, 2)) {}

  // Packs rows, and adds the sums of their elements to `sums`.
  void Pack(const RowSource& a, int64_t first, int64_t rows, int64_t begin,
            int64_t depth, uint32_t* sums) {
    pairs_ = (depth + 1) / 2;
    for (int64_t i = 0; i < RoundUp(rows, kRows); ++i) {
      int16_t* to = &panels_[i / kRows * kRows * pairs_ * 2 + i % kRows * 2];
      if (i < rows) {
        a.Fill(first + i, begin, depth, line_.data());
        uint32_t sum = 0;
        for (int64_t d = 0; d < depth; ++d) sum += line_[d];
        sums[i] += sum;
      } else {
        std::fill(line_.begin(), line_.begin() + depth, uint8_t{0});
      }
      if (depth % 2 != 0) line_[depth] = 0;
      for (int64_t p = 0; p < pairs_; ++p, to += 2 * kRows) {
        to[0] = line_[2 * p];
        to[1] = line_[2 * p + 1];
      }
    }
  }
  int64_t pairs() const { return pairs_; }
  const int16_t* Panel(int64_t row) const { return &panels_[row * pairs_ * 2]; }

 private:
  int64_t pairs_ = 0;
  std::vector<int16_t> panels_;
  std::vector<uint8_t> line_;
};

struct Block {
  int64_t row, rows, column, columns;
};

// Computes a block of c, starting with sums of plain products.
void RunBlock(const RowSource& a, const PackedColumns& b, Block block,
              uint32_t a_zero, uint32_t b_zero, BlockFunction multiply,
              PackedRows* packed, int32_t* c) {
  alignas(64) int32_t sums[kRows * kPanelColumns];
  uint32_t row_sums[kBlockRows] = {};
  const int64_t n = b.n();
  for (int64_t d = 0; d < b.k(); d += kBlockDepth) {
    const int64_t depth = std::min(kBlockDepth, b.k() - d);
    packed->Pack(a, block.row, block.rows, d, depth, row_sums);
    for (int64_t j = 0; j < block.columns; j += kPanelColumns) {
      const int16_t* panel = b.Panel((block.column + j) / kPanelColumns, d);
      const int64_t columns =
          std::min<int64_t>(kPanelColumns, block.columns - j);
      for (int64_t i = 0; i < block.rows; i += kRows) {
        multiply(packed->Panel(i), panel, packed->pairs(), sums);
        const int64_t rows = std::min<int64_t>(kRows, block.rows - i);
        for (int64_t r = 0; r < rows; ++r) {
          int32_t* to = c + (block.row + i + r) * n + block.column + j;
          const int32_t* from = sums + r * kPanelColumns;
          for (int64_t s = 0; s < columns; ++s) {
            to[s] = d == 0
                        ? from[s]
                        : static_cast<int32_t>(static_cast<uint32_t>(to[s]) +
                                               static_cast<uint32_t>(from[s]));
          }
        }
      }
    }
  }
  const uint32_t zeros = static_cast<uint32_t>(b.k()) * a_zero * b_zero;
  for (int64_t i = 0; i < block.rows; ++i) {
    int32_t* to = c + (block.row + i) * n + block.column;
    const uint32_t of_row = zeros - b_zero * row_sums[i];
    for (int64_t j = 0; j < block.columns; ++j) {
      to[j] = static_cast<int32_t>(static_cast<uint32_t>(to[j]) + of_row -
                                   a_zero * b.sum(block.column + j));
    }
  }
}

}  // namespace

// Depths are padded to whole pairs within each block of kBlockDepth, which is
// even, so there is padding only at the end.
template <class I>
StatusOr<PackedColumns> PackedColumns::Make(KernelContext& ctx, const I* data,
                                            int64_t k, int64_t n,
                                            int64_t depth_stride,
                                            int64_t column_stride) {
  PackedColumns b;
  b.k_ = k;
  b.n_ = n;
  const int64_t pairs = (k + 1) / 2;
  const int64_t panels = (n + kPanelColumns - 1) / kPanelColumns;
  MR_ASSIGN_OR_RETURN(
      const int64_t size,
      (CheckedSize(panels) * pairs * (2 * kPanelColumns)).Get("panels"));
  MR_ASSIGN_OR_RETURN(b.panels_,
                      ctx.AllocateTemp(DataType::kInt16, TensorShape({size})));
  b.sums_.assign(static_cast<size_t>(n), 0);
  int16_t* const out = b.panels_.mutable_flat<int16_t>().data();
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      panels, pairs * kPanelColumns + 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          int16_t* to = out + p * pairs * 2 * kPanelColumns;
          const int64_t first = p * kPanelColumns;
          const int64_t columns = std::min<int64_t>(kPanelColumns, n - first);
          uint32_t* sums = &b.sums_[static_cast<size_t>(first)];
          for (int64_t d = 0; d < 2 * pairs; ++d) {
            int16_t* at = to + d / 2 * 2 * kPanelColumns + d % 2;
            const I* from = data + d * depth_stride + first * column_stride;
            for (int64_t j = 0; j < kPanelColumns; ++j) {
              const bool there = d < k && j < columns;
              const int16_t v = there ? from[j * column_stride] : int16_t{0};
              at[2 * j] = v;
              if (there) sums[j] += static_cast<uint32_t>(int32_t{v});
            }
          }
        }
      }));
  return b;
}

template StatusOr<PackedColumns> PackedColumns::Make<uint8_t>(KernelContext&,
                                                              const uint8_t*,
                                                              int64_t, int64_t,
                                                              int64_t, int64_t);
template StatusOr<PackedColumns> PackedColumns::Make<int8_t>(KernelContext&,
                                                             const int8_t*,
                                                             int64_t, int64_t,
                                                             int64_t, int64_t);

const int16_t* PackedColumns::Panel(int64_t p, int64_t d) const {
  const int64_t pairs = (k_ + 1) / 2;
  return panels_.flat<int16_t>().data() +
         (p * pairs + d / 2) * 2 * kPanelColumns;
}

Status QuantizedGemm(KernelContext& ctx, int64_t m, const RowSource& a,
                     const PackedColumns& b, int32_t a_zero, int32_t b_zero,
                     int32_t* c) {
  if (m == 0 || b.n() == 0) return OkStatus();
  if (b.k() == 0) {
    std::fill(c, c + m * b.n(), 0);
    return OkStatus();
  }
  const BlockFunction multiply = BestBlock();
  const int64_t row_blocks = (m + kBlockRows - 1) / kBlockRows;
  const int64_t column_blocks = (b.n() + kBlockColumns - 1) / kBlockColumns;
  // About 50 multiply-adds take a nanosecond.
  const int64_t nanos = std::max<int64_t>(
      1, std::min(m, kBlockRows) * std::min(b.n(), kBlockColumns) *
             (b.k() / 50 + 1));
  return ctx.ParallelFor(
      row_blocks * column_blocks, nanos, [&](int64_t begin, int64_t end) {
        PackedRows packed(std::min(b.k(), kBlockDepth));
        for (int64_t i = begin; i < end; ++i) {
          const int64_t row = i / column_blocks * kBlockRows;
          const int64_t column = i % column_blocks * kBlockColumns;
          RunBlock(a, b,
                   {row, std::min(kBlockRows, m - row), column,
                    std::min(kBlockColumns, b.n() - column)},
                   static_cast<uint32_t>(a_zero), static_cast<uint32_t>(b_zero),
                   multiply, &packed, c);
        }
      });
}

}  // namespace millrace::ops
