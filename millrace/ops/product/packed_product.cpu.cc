#include "millrace/ops/product/packed_product.h"

#include <algorithm>
#include <vector>

#include "millrace/ops/elementwise/part_errors.h"
#include "millrace/ops/product/packed_loops.h"

namespace millrace::ops {
namespace {

// The depth of both factors that is taken at a time: a strip of b stays in the
// first-level cache, a part of a in the second-level cache.
constexpr int64_t kDepth = 256;
// The size of a part of c; it has fewer rows if there would be too few parts.
// The next part has other columns: two threads that read the same columns of b
// take a tenth longer (1024 columns a part: 16.8 ms, 512: 14.2).
constexpr int64_t kPartRows = 12 * kTileRows, kPartColumns = 512;
constexpr int64_t kLeastRows = 4 * kTileRows;
constexpr int64_t kPartsPerThread = 8;
// The number of columns that are packed at a time.
constexpr int64_t kPackColumns = 128;
// Bounds the floats of b that are packed.
constexpr int64_t kMaxPacked = int64_t{1} << 21;

// A term, or a piece of one, of at most kDepth.
struct Piece {
  FactorLines a, b;
  int64_t depth;
};

std::vector<Piece> PiecesOf(absl::Span<const ProductTerm> terms) {
  std::vector<Piece> pieces;
  for (const ProductTerm& t : terms) {
    const MatrixProblem& p = t.problem;
    const int64_t count = (p.k + kDepth - 1) / kDepth;
    const int64_t depth = RoundUp((p.k + count - 1) / count, 8);
    const int64_t b_stride = p.BStride();
    const FactorLines a = {reinterpret_cast<const float*>(t.a),
                           p.transpose_a ? 1 : p.k, p.transpose_a ? p.m : 1};
    const FactorLines b = {reinterpret_cast<const float*>(t.b),
                           p.transpose_b ? b_stride : 1,
                           p.transpose_b ? 1 : b_stride};
    for (int64_t at = 0; at < p.k; at += depth) {
      pieces.push_back(
          {a.From(0, at), b.From(0, at), std::min(depth, p.k - at)});
    }
  }
  return pieces;
}

// Some pieces and columns whose b is packed at the same time.
class Pass {
 public:
  Pass(absl::Span<const Piece> pieces, int64_t column, int64_t columns,
       float* packed)
      : column_(column), columns_(columns) {
    for (const Piece& piece : pieces) {
      pieces_.push_back({piece, packed});
      packed += piece.depth * RoundUp(columns, kTileColumns);
    }
  }

  int64_t packings() const {
    return static_cast<int64_t>(pieces_.size()) * PackingsAcross();
  }
  void Pack(int64_t i) const {
    const PackedPiece& piece =
        pieces_[static_cast<size_t>(i / PackingsAcross())];
    const int64_t first = i % PackingsAcross() * kPackColumns;
    PackTileColumns(piece.b.From(column_ + first, 0),
                    std::min(kPackColumns, columns_ - first), piece.depth,
                    piece.packed_b + first * piece.depth);
  }

  // `packed_a` has room for a part of a.
  void Multiply(const ProductPart& part, float* packed_a, float* c,
                int64_t c_stride, bool accumulate) const {
    for (const PackedPiece& piece : pieces_) {
      const int64_t depth = piece.depth;
      PackTileRows(piece.a.From(part.row, 0), part.rows, depth, packed_a);
      for (int64_t j = 0; j < part.columns; j += kTileColumns) {
        const int64_t column = part.column + j;
        const float* const b = piece.packed_b + (column - column_) * depth;
        for (int64_t i = 0; i < part.rows; i += kTileRows) {
          MultiplyStrips(packed_a + i * depth, b, depth,
                         std::min(kTileRows, part.rows - i),
                         std::min(kTileColumns, part.columns - j),
                         c + (part.row + i) * c_stride + column, c_stride,
                         accumulate);
        }
      }
      accumulate = true;
    }
  }

 private:
  struct PackedPiece : Piece {
    float* packed_b;
  };

  int64_t PackingsAcross() const {
    return (columns_ + kPackColumns - 1) / kPackColumns;
  }

  const int64_t column_, columns_;
  std::vector<PackedPiece> pieces_;
};

// Returns the end of the pieces that are packed at the same time as the first.
size_t EndOfPass(absl::Span<const Piece> pieces, size_t first,
                 int64_t columns) {
  const int64_t most = kMaxPacked / RoundUp(columns, kTileColumns);
  int64_t depth = 0;
  size_t end = first;
  while (end < pieces.size() && depth + pieces[end].depth <= most) {
    depth += pieces[end++].depth;
  }
  return end;
}

int64_t RowsOfPart(int64_t rows, int64_t across, int width) {
  const int64_t wanted = kPartsPerThread * width;
  const int64_t down = std::max<int64_t>((wanted + across - 1) / across, 1);
  return std::clamp(RoundUp((rows + down - 1) / down, kTileRows), kLeastRows,
                    kPartRows);
}

StatusOr<Ref<Buffer>> Floats(Allocator& allocator, int64_t count) {
  return allocator.Allocate(static_cast<size_t>(count) * sizeof(float));
}

}  // namespace

bool HasPackedProducts() {
  static const bool here =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return here;
}

Status PackedProductRows(DnnlRun& run, absl::Span<const ProductTerm> terms,
                         int64_t row, int64_t rows, float* c, bool accumulate,
                         const FinishProduct* finish) {
  const int64_t n = terms[0].problem.n;
  const std::vector<Piece> pieces = PiecesOf(terms);
  int64_t depth = 0;
  for (const Piece& piece : pieces) depth += piece.depth;
  const int64_t chunk = std::min(n, kMaxPacked / kDepth);
  MR_ASSIGN_OR_RETURN(
      Ref<Buffer> packed,
      Floats(run.allocator(),
             std::min(depth * RoundUp(chunk, kTileColumns), kMaxPacked)));
  PartErrors errors;
  for (int64_t column = 0; column < n; column += chunk) {
    const int64_t columns = std::min(chunk, n - column);
    const int64_t across = (columns + kPartColumns - 1) / kPartColumns;
    const int64_t part_rows = RowsOfPart(rows, across, run.width());
    const int64_t down = (rows + part_rows - 1) / part_rows;
    for (size_t first = 0; first < pieces.size();) {
      const size_t end = EndOfPass(pieces, first, columns);
      const Pass pass(absl::MakeConstSpan(pieces).subspan(first, end - first),
                      column, columns,
                      reinterpret_cast<float*>(packed->data()));
      run.ShareParts(pass.packings(), [&](int64_t i) { pass.Pack(i); });
      const bool is_last = end == pieces.size();
      run.ShareParts(across * down, [&](int64_t i) {
        const int64_t below = i / across * part_rows;
        const int64_t beside = i % across * kPartColumns;
        const ProductPart part = {
            row + below, std::min(part_rows, rows - below), column + beside,
            std::min(kPartColumns, columns - beside)};
        StatusOr<Ref<Buffer>> packed_a =
            Floats(run.allocator(),
                   kDepth * RoundUp(part.rows, kTileRows) + kPackedMore);
        if (!packed_a.ok()) return errors.Add(packed_a.status());
        pass.Multiply(part, reinterpret_cast<float*>((*packed_a)->data()), c, n,
                      accumulate || first > 0);
        if (is_last && finish != nullptr) (*finish)(part);
      });
      first = end;
    }
  }
  return errors.Take();
}

}  // namespace millrace::ops
