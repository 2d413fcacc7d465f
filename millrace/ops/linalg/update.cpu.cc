// The product is cut so that a tile of c stays in registers, a strip of b in
// the first cache and what is packed at a time in the second.
#include "millrace/ops/linalg/update.h"

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/lines.h"

namespace millrace::ops {
namespace {

// A tile multiplies kTileFactors numbers of a by a row of b: rows of real
// numbers, or real and imaginary parts of half as many rows.
template <class S>
constexpr int kTileRows = kIsReal<S> ? kTileFactors : kTileFactors / 2;
template <class S>
constexpr int kStripCols = kStripBytes / sizeof(S);
constexpr int64_t kDepth = 256;
constexpr int64_t kGroupRows = 48;
constexpr int64_t kGroupCols = 512;

int64_t RoundedUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Packs rows as strips of kTileRows: first the first elements of each row.
template <class S>
void PackRows(const Block<const S>& a, S* to) {
  constexpr int kN = kTileRows<S>;
  for (int64_t r = 0; r < a.rows; r += kN) {
    const int64_t count = std::min<int64_t>(kN, a.rows - r);
    for (int64_t i = 0; i < kN; ++i) {
      const S* from = i < count ? a.row(r + i) : nullptr;
      for (int64_t d = 0; d < a.cols; ++d) {
        to[d * kN + i] = from == nullptr ? S(0) : from[d];
      }
    }
    to += kN * a.cols;
  }
}

// Packs columns of b as strips of kStripCols.
template <class S>
void PackCols(const Block<const S>& b, S* to) {
  constexpr int kN = kStripCols<S>;
  for (int64_t c = 0; c < b.cols; c += kN) {
    const int64_t count = std::min<int64_t>(kN, b.cols - c);
    for (int64_t d = 0; d < b.rows; ++d, to += kN) {
      const S* from = b.row(d) + c;
      if (count == kN) {
        std::copy(from, from + kN, to);
        continue;
      }
      for (int64_t i = 0; i < kN; ++i) to[i] = i < count ? from[i] : S(0);
    }
  }
}

// Packs the conjugates of rows of b, as columns.
template <class S>
void PackAdjoint(const Block<const S>& b, S* to) {
  constexpr int kN = kStripCols<S>;
  for (int64_t c = 0; c < b.rows; c += kN, to += kN * b.cols) {
    const int64_t count = std::min<int64_t>(kN, b.rows - c);
    for (int64_t i = 0; i < kN; ++i) {
      const S* from = i < count ? b.row(c + i) : nullptr;
      for (int64_t d = 0; d < b.cols; ++d) {
        to[d * kN + i] = from == nullptr ? S(0) : ConjugateOf(from[d]);
      }
    }
  }
}

// Subtracts the product of a strip of rows and one of columns from a tile of c,
// of which only `rows` and `cols` exist.
template <class S>
void SubtractTile(const S* a, const S* b, int64_t depth, int64_t rows,
                  int64_t cols, S* c, int64_t stride) {
  using R = RealType<S>;
  const LineKernels<R>& kernels = BestLineKernels<R>();
  constexpr int kParts = kIsReal<S> ? 1 : 2;
  const auto run =
      kParts == 1 ? kernels.subtract_tile : kernels.subtract_pairs_tile;
  run(reinterpret_cast<const R*>(a), reinterpret_cast<const R*>(b), depth, rows,
      cols * kParts, reinterpret_cast<R*>(c), stride * kParts);
}

// Subtracts the product of rows of a and packed columns from c. In row i only
// the columns before `wanted` + i + 1 are wanted.
template <class S>
void SubtractRows(const Block<const S>& a, const S* cols, const Block<S>& c,
                  int64_t wanted, StopFlag& stop) {
  constexpr int kRows = kTileRows<S>, kCols = kStripCols<S>;
  const int64_t depth = a.cols;
  CountedVector<S> rows(RoundedUp(std::min(c.rows, kGroupRows), kRows) * depth);
  for (int64_t row = 0; row < c.rows; row += kGroupRows) {
    const int64_t height = std::min(kGroupRows, c.rows - row);
    if (stop.IsSet(height * c.cols * depth)) return;
    PackRows(a.Cut(row, 0, height, depth), rows.data());
    for (int64_t j = 0; j < c.cols; j += kCols) {
      for (int64_t i = 0; i < height; i += kRows) {
        const int64_t tile_rows = std::min<int64_t>(kRows, height - i);
        if (j >= wanted + row + i + tile_rows) continue;
        SubtractTile(rows.data() + i * depth, cols + j * depth, depth,
                     tile_rows, std::min<int64_t>(kCols, c.cols - j),
                     c.row(row + i) + j, c.stride);
      }
    }
  }
}

// Columns that are too few to fill a strip.
constexpr int64_t kFewCols = 4;

// Does it for few columns of c: each element is a product of two lines.
template <class S>
void SubtractFewColumns(const Block<const S>& a, const Block<const S>& b,
                        Second second, const Block<S>& c, StopFlag& stop) {
  const int64_t depth = a.cols;
  CountedVector<S> conjugates(static_cast<size_t>(depth));  // as Dot takes them
  for (int64_t j = 0; j < c.cols; ++j) {
    const S* column = conjugates.data();
    if (second == Second::kAdjoint) {
      column = b.row(j);
    } else {
      for (int64_t d = 0; d < depth; ++d) conjugates[d] = ConjugateOf(b(d, j));
    }
    for (int64_t i = 0; i < c.rows; ++i) {
      if (stop.IsSet(depth)) return;
      c(i, j) -= Dot(column, a.row(i), depth);
    }
  }
}

// Columns that a thread takes where there are too few rows to share.
constexpr int64_t kSharedCols = 128, kFewRows = 4 * kGroupRows;

}  // namespace

template <class S>
void SubtractProduct(std::type_identity_t<Block<const S>> a,
                     std::type_identity_t<Block<const S>> b, Block<S> c,
                     StopFlag& stop, Second second, Wanted wanted) {
  constexpr int kRows = kTileRows<S>, kCols = kStripCols<S>;
  const int64_t depth = a.cols;
  if (c.rows == 0 || c.cols == 0 || depth == 0) return;
  if (c.cols <= kFewCols) return SubtractFewColumns(a, b, second, c, stop);
  if (c.rows < kFewRows && c.cols > kSharedCols && wanted == Wanted::kAll) {
    return stop.Share(
        (c.cols + kSharedCols - 1) / kSharedCols,
        c.rows * kSharedCols * depth / 16 + 1,
        [&](int64_t begin, int64_t end, StopFlag& part) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t col = i * kSharedCols;
            const int64_t width = std::min(kSharedCols, c.cols - col);
            SubtractProduct(a,
                            second == Second::kAdjoint
                                ? b.Cut(col, 0, width, depth)
                                : b.Cut(0, col, depth, width),
                            c.Cut(0, col, c.rows, width), part, second);
          }
        });
  }
  const int64_t deepest = std::min(depth, kDepth);
  CountedVector<S> cols(RoundedUp(std::min(c.cols, kGroupCols), kCols) *
                        deepest);
  for (int64_t col = 0; col < c.cols; col += kGroupCols) {
    const int64_t width = std::min(kGroupCols, c.cols - col);
    const int64_t above =
        wanted == Wanted::kLowerHalf ? col / kRows * kRows : 0;
    const Block<S> to = c.Cut(above, col, c.rows - above, width);
    for (int64_t d = 0; d < depth; d += kDepth) {
      const int64_t deep = std::min(kDepth, depth - d);
      if (stop.IsSet(width * deep)) return;
      if (second == Second::kAdjoint) {
        PackAdjoint(b.Cut(col, d, width, deep), cols.data());
      } else {
        PackCols(b.Cut(d, col, deep, width), cols.data());
      }
      // About 16 multiplications take a nanosecond.
      const int64_t groups = (to.rows + kGroupRows - 1) / kGroupRows;
      stop.Share(groups, kGroupRows * width * deep / 16 + 1,
                 [&](int64_t begin, int64_t end, StopFlag& part) {
                   const int64_t first = begin * kGroupRows;
                   const int64_t last = std::min(end * kGroupRows, to.rows);
                   SubtractRows(
                       a.Cut(above + first, d, last - first, deep), cols.data(),
                       to.Cut(first, 0, last - first, width),
                       wanted == Wanted::kAll ? width : above + first - col,
                       part);
                 });
    }
  }
}

#define MR_UPDATE_OF(S)                                                      \
  template void SubtractProduct<S>(Block<const S>, Block<const S>, Block<S>, \
                                   StopFlag&, Second, Wanted)

MR_UPDATE_OF(float);
MR_UPDATE_OF(double);
MR_UPDATE_OF(std::complex<float>);
MR_UPDATE_OF(std::complex<double>);
#undef MR_UPDATE_OF

}  // namespace millrace::ops
