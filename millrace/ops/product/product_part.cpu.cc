#include "millrace/ops/product/product_part.h"

#include <algorithm>
#include <utility>

#include "oneapi/dnnl/dnnl.h"

namespace millrace::ops {
namespace {

// Rows of this many floats, or of a multiple, share sets of the caches. b is
// read in short pieces of rows, which at this distance hit the second-level
// cache.
constexpr int64_t kSharedSets = 256;
// Copies that are used by fewer lines cost as much as they save.
constexpr int64_t kMinRows = 32, kMinColumns = 64;
// Bounds what a thread copies; factors with more lines are read in place.
constexpr int64_t kMaxBytes = int64_t{4} << 20;
// The number of columns of b that are copied at a time.
constexpr int64_t kCopiedColumns = 128;
// The floats in a cache line, to which rows stay aligned.
constexpr int64_t kLineFloats = 16;

// A factor, or some rows or columns of it, in place.
struct Matrix {
  const float* at;
  int64_t stride;  // from a row to the next, in floats
};

Matrix AOf(const ProductTerm& term, const ProductPart& part) {
  const MatrixProblem& p = term.problem;
  const float* const a = reinterpret_cast<const float*>(term.a);
  return p.transpose_a ? Matrix{a + part.row, p.m}
                       : Matrix{a + part.row * p.k, p.k};
}

Matrix BOf(const ProductTerm& term, const ProductPart& part) {
  const MatrixProblem& p = term.problem;
  const float* const b = reinterpret_cast<const float*>(term.b);
  const int64_t stride = p.BStride();
  return {p.transpose_b ? b + part.column * stride : b + part.column, stride};
}

Status Multiply(const MatrixProblem& p, const ProductPart& part,
                const Matrix& a, const Matrix& b, float* c, bool accumulate) {
  const dnnl_status_t s = dnnl_sgemm(
      p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', part.rows,
      part.columns, p.k, 1.0f, a.at, a.stride, b.at, b.stride,
      accumulate ? 1.0f : 0.0f, c + part.row * p.n + part.column, p.n);
  if (s == dnnl_success) return OkStatus();
  if (s == dnnl_out_of_memory) return ResourceExhausted("OOM in oneDNN");
  return Internal("oneDNN: sgemm failed with status ", static_cast<int>(s));
}

int64_t SpreadStride(int64_t columns) {
  const int64_t stride = RoundUp(columns, kLineFloats) + kLineFloats;
  return stride % kSharedSets == 0 ? stride + kLineFloats : stride;
}

// Returns the number of floats in the copies for a part of `rows` rows.
int64_t SpreadSize(const SpreadFactors& spread, int64_t k, int64_t rows) {
  return k * ((spread.a ? SpreadStride(rows) : 0) +
              (spread.b ? SpreadStride(kCopiedColumns) : 0));
}

Matrix Spread(const Matrix& m, int64_t rows, int64_t columns, float* to) {
  const int64_t stride = SpreadStride(columns);
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(m.at + i * m.stride, columns, to + i * stride);
  }
  return {to, stride};
}

Status MultiplyCopies(const ProductTerm& term, const SpreadFactors& spread,
                      const ProductPart& part, float* scratch, float* c,
                      bool accumulate) {
  const MatrixProblem& p = term.problem;
  Matrix a = AOf(term, part);
  if (spread.a) {
    a = Spread(a, p.k, part.rows, scratch);
    scratch += p.k * a.stride;
  }
  if (!spread.b) return Multiply(p, part, a, BOf(term, part), c, accumulate);
  ProductPart some = part;
  for (int64_t j = 0; j < part.columns; j += some.columns) {
    const int64_t left = part.columns - j;
    some.column = part.column + j;
    // No single column is left over, which oneDNN would treat as a vector.
    some.columns = left == kCopiedColumns + 1 ? kCopiedColumns / 2
                                              : std::min(kCopiedColumns, left);
    const Matrix b = Spread(BOf(term, some), p.k, some.columns, scratch);
    MR_RETURN_IF_ERROR(Multiply(p, some, a, b, c, accumulate));
  }
  return OkStatus();
}

}  // namespace

SpreadFactors SpreadFactors::Of(absl::Span<const ProductTerm> terms,
                                int64_t rows) {
  SpreadFactors spread{.a = true, .b = true};
  int64_t k = 0;
  for (const ProductTerm& t : terms) {
    const MatrixProblem& p = t.problem;
    spread.a &= p.transpose_a && p.m % kSharedSets == 0 && p.n >= kMinColumns;
    spread.b &= !p.transpose_b && p.BStride() % (2 * kSharedSets) == 0 &&
                rows >= kMinRows;
    k = std::max(k, p.k);
  }
  if (SpreadSize(spread, k, rows) * 4 > kMaxBytes) return {};
  return spread;
}

Status ComputeProductPart(Allocator& allocator,
                          absl::Span<const ProductTerm> terms,
                          const SpreadFactors& spread, const ProductPart& part,
                          float* c, bool accumulate) {
  Ref<Buffer> scratch;
  if (spread.a || spread.b) {
    int64_t k = 0;
    for (const ProductTerm& t : terms) k = std::max(k, t.problem.k);
    MR_ASSIGN_OR_RETURN(scratch, allocator.Allocate(static_cast<size_t>(
                                     SpreadSize(spread, k, part.rows) * 4)));
  }
  for (const ProductTerm& t : terms) {
    const bool adds = accumulate || &t != &terms[0];
    MR_RETURN_IF_ERROR(
        scratch
            ? MultiplyCopies(t, spread, part,
                             reinterpret_cast<float*>(scratch->data()), c, adds)
            : Multiply(t.problem, part, AOf(t, part), BOf(t, part), c, adds));
  }
  return OkStatus();
}

}  // namespace millrace::ops
