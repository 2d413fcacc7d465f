#include "millrace/ops/product/float_product.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "millrace/ops/elementwise/part_errors.h"
#include "millrace/ops/product/packed_product.h"

namespace millrace::ops {
namespace {

// The number of rows or columns that are worth a thread.
constexpr int64_t kMinLines = 32;
// Parts begin at multiples of this, as oneDNN's vectors do.
constexpr int64_t kLines = 16;
// oneDNN packs b again for each part; that is cheap if there are many more rows
// than this.
constexpr int64_t kSharedRows = 128;
constexpr int64_t kMaxParts = 64;

// Returns the lines of each of `parts` parts, such that no part is a single
// line, which oneDNN would treat as a vector.
int64_t Share(int64_t lines, int64_t parts) {
  int64_t share = RoundUp((lines + parts - 1) / parts, kLines);
  while (lines % share == 1) share += kLines;
  return share;
}

// The differences between oneDNN's kernels.
struct Kernels {
  // With fewer columns, a transposed b is not packed, which takes twice the
  // time and more (AVX-512: 64 x 512 times 512 x 64 37 us, times 512 x 128 41
  // us).
  int64_t columns;
  // Whether an element has the same bits whatever rows are computed with it, if
  // b is not transposed. Otherwise oneDNN sums the remainder of its blocks of
  // rows in another order.
  bool rows_keep_bits;
  // The number of multiply-adds that are worth a part, about 50 us.
  int64_t part_work;
  // With several parts for each thread, threads that are faster or start sooner
  // take more of them. There is only one if each part is packed again.
  int64_t parts_per_thread;
  // Returns whether threads should share what they pack for such a product, as
  // oneDNN's own threads do. If not, they would wait longer for each other.
  bool (*shares_packing)(const MatrixProblem& p, int64_t rows);
  // Whether our own loops do that better, on machines that support them.
  bool has_packed_product;
  // Whether the factors of products that are not packed are read in place.
  bool reads_factors;
};

// With a transposed b (64 x 512 times 512 x 256) two threads of oneDNN take 79
// us and one takes 88; two threads with columns of their own take 45.
bool SharesPackingOfAvx512(const MatrixProblem& p, int64_t rows) {
  return !p.transpose_b && rows * p.k * p.n > int64_t{1} << 25;
}

// oneDNN packs products with 1/rows + 1/columns below this. A part that it does
// not pack takes up to twice as long.
bool SharesPackingOfAvx2(const MatrixProblem& p, int64_t rows) {
  return 1.0 / static_cast<double>(rows) + 1.0 / static_cast<double>(p.n) <
         0.0038;
}

constexpr Kernels kAvx512 = {.columns = 128,
                             .rows_keep_bits = true,
                             .part_work = int64_t{1} << 22,
                             .parts_per_thread = 1,
                             .shares_packing = SharesPackingOfAvx512,
                             .has_packed_product = false,
                             .reads_factors = false};
constexpr Kernels kAvx2 = {.columns = kMinLines,
                           .rows_keep_bits = false,
                           .part_work = int64_t{1} << 20,
                           .parts_per_thread = 4,
                           .shares_packing = SharesPackingOfAvx2,
                           .has_packed_product = true,
                           .reads_factors = true};

const Kernels& TheKernels() {
  static const Kernels& kernels =
      __builtin_cpu_supports("avx512bw") ? kAvx512 : kAvx2;
  return kernels;
}

struct Cut {
  int64_t rows, columns;  // of a part; the last ones have the remainder
};

// Returns how a team of `width` threads cuts `rows` rows of the sum of `terms`
// terms; nothing if oneDNN's own threads share them.
//
// An element has the same bits whatever columns are computed with it. If that
// does not hold for rows, parts by rows do not depend on the width.
std::optional<Cut> CutOf(const MatrixProblem& p, int64_t rows, int64_t terms,
                         int64_t width) {
  const Kernels& kernels = TheKernels();
  const int64_t row_work = p.k * p.n * terms;  // multiply-adds
  const int64_t work = rows * row_work;
  // Cut by columns, each part would read all of a.
  const bool tall = rows >= 8 * p.n && p.n < 2 * kSharedRows;
  const bool by_rows =
      rows >= 2 * kMinLines && (p.n < 2 * kernels.columns || tall);
  const bool any_rows = kernels.rows_keep_bits && !p.transpose_b;
  if (by_rows && !any_rows) {
    const int64_t part_work = std::max(kernels.part_work, work / kMaxParts);
    const int64_t least =
        std::min(kSharedRows, RoundUp((rows + 1) / 2, kLines));
    return Cut{std::max({RoundUp(part_work / row_work, kLines), least}), p.n};
  }
  if (width == 1) return Cut{rows, p.n};
  if (kernels.shares_packing(p, rows)) return std::nullopt;
  if (any_rows && rows >= kMinLines * width) {
    return Cut{Share(rows, width), p.n};
  }
  if (p.n < 2 * kMinLines) return std::nullopt;
  const int64_t parts = std::clamp<int64_t>(
      p.n / (p.transpose_b ? kernels.columns : kMinLines), 1,
      std::clamp(work / kernels.part_work, width,
                 kernels.parts_per_thread * width));
  return Cut{rows, Share(p.n, parts)};
}

bool IsPackedProduct(const MatrixProblem& p, int64_t rows) {
  const Kernels& kernels = TheKernels();
  return kernels.has_packed_product && kernels.shares_packing(p, rows) &&
         HasPackedProducts();
}

SpreadFactors SpreadOf(absl::Span<const ProductTerm> terms, int64_t rows) {
  const Kernels& kernels = TheKernels();
  return kernels.reads_factors &&
                 !kernels.shares_packing(terms[0].problem, rows)
             ? SpreadFactors::Of(terms, rows)
             : SpreadFactors();
}

}  // namespace

ProductTerm TermOf(const MatrixProblem& p, const float* a, const float* b,
                   int64_t i) {
  return {p, reinterpret_cast<const char*>(a + p.AIndex(i) * p.m * p.k),
          reinterpret_cast<const char*>(b + p.BIndex(i) * p.k * p.n)};
}

Status FloatProductBatch(KernelContext& ctx, const MatrixProblem& p,
                         const float* a, const float* b, float* c,
                         bool accumulate) {
  PartErrors errors;
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      p.batches, p.m * p.k * p.n / 40 + 200, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const ProductTerm term = TermOf(p, a, b, i);
          errors.Add(ComputeProductPart(
              *ctx.allocator(), {&term, 1}, SpreadOf({&term, 1}, p.m),
              {0, p.m, 0, p.n}, c + i * p.m * p.n, accumulate));
        }
      }));
  return errors.Take();
}

Status FloatProductRows(DnnlRun& run, absl::Span<const ProductTerm> terms,
                        int64_t row, int64_t rows, float* c, bool accumulate,
                        const FinishProduct* finish) {
  const MatrixProblem& p = terms[0].problem;
  if (IsPackedProduct(p, rows)) {
    return PackedProductRows(run, terms, row, rows, c, accumulate, finish);
  }
  const SpreadFactors spread = SpreadOf(terms, rows);
  const auto add_up = [&](const ProductPart& part) {
    return ComputeProductPart(run.allocator(), terms, spread, part, c,
                              accumulate);
  };
  const std::optional<Cut> cut =
      CutOf(p, rows, static_cast<int64_t>(terms.size()), run.width());
  if (!cut) {
    MR_RETURN_IF_ERROR(add_up({row, rows, 0, p.n}));
    if (finish == nullptr) return OkStatus();
    run.ForMembers([&](int index, int width) {
      const int64_t begin = rows * index / width;
      const int64_t end = rows * (index + 1) / width;
      if (begin < end) (*finish)({row + begin, end - begin, 0, p.n});
    });
    return OkStatus();
  }
  const int64_t across = (p.n + cut->columns - 1) / cut->columns;
  const int64_t down = (rows + cut->rows - 1) / cut->rows;
  PartErrors errors;
  run.ShareParts(across * down, [&](int64_t i) {
    const int64_t first_row = i / across * cut->rows;
    const int64_t first_column = i % across * cut->columns;
    const ProductPart part = {
        row + first_row, std::min(cut->rows, rows - first_row), first_column,
        std::min(cut->columns, p.n - first_column)};
    Status status = add_up(part);
    if (!status.ok()) return errors.Add(std::move(status));
    if (finish != nullptr) (*finish)(part);
  });
  return errors.Take();
}

}  // namespace millrace::ops
