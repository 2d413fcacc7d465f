// The loops of packed products (packed_product.h), for CPUs with AVX2 and FMA.
#pragma once

#include <cstdint>

namespace millrace::ops {

// Unpacked lines of a factor (rows of a, columns of b): element (line, depth)
// is at[line * across + depth * along]; one of the two distances is 1.
struct FactorLines {
  const float* at;
  int64_t across, along;

  FactorLines From(int64_t line, int64_t depth) const {
    return {at + line * across + depth * along, across, along};
  }
};

// A tile of c, which is in registers while it is computed.
inline constexpr int64_t kTileRows = 6, kTileColumns = 16;

// Pack lines as strips of kTileRows or kTileColumns lines: a strip has the
// first elements of its lines, then the second ones, up to `depth`; the last
// strip has zeros for missing lines. `to` must have room for whole strips and
// kPackedMore floats.
inline constexpr int64_t kPackedMore = 2;
void PackTileRows(const FactorLines& a, int64_t lines, int64_t depth,
                  float* to);
void PackTileColumns(const FactorLines& b, int64_t lines, int64_t depth,
                     float* to);

// Computes c = or += the product of a strip of rows and one of columns, which
// must be aligned to a cache line. Of a tile at an edge only `rows` and
// `columns` exist.
void MultiplyStrips(const float* a, const float* b, int64_t depth, int64_t rows,
                    int64_t columns, float* c, int64_t c_stride,
                    bool accumulate);

}  // namespace millrace::ops
