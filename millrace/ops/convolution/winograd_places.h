// Positions of the tiles of winograd_tiles.h in images.
#pragma once

#include <cstdint>

#include "millrace/ops/convolution/winograd_tiles.h"

namespace millrace::ops {

// The position of a tile.
class TilePlace {
 public:
  TilePlace(const TiledConv& c, int64_t tile)
      : rows_(c.TileRows() * 2),
        columns_(c.TileColumns() * 2),
        image_(tile / (c.TileRows() * c.TileColumns())),
        row_(tile / c.TileColumns() % c.TileRows() * 2),
        column_(tile % c.TileColumns() * 2) {}

  void Advance() {
    column_ += 2;
    if (column_ < columns_) return;
    column_ = 0;
    row_ += 2;
    if (row_ < rows_) return;
    row_ = 0;
    ++image_;
  }
  int64_t image() const { return image_; }
  int64_t row() const { return row_; }  // the first row of outputs
  int64_t column() const { return column_; }
  // Returns the index in the output of the tile's first pixel.
  int64_t Pixel(const TiledConv& c) const {
    return (image_ * c.out_rows + row_) * c.out_columns + column_;
  }

 private:
  int64_t rows_, columns_, image_, row_, column_;
};

// Addresses of the 16 inputs of a tile. Inputs outside of the image have a
// valid address and no mask.
struct TileInputs {
  const float* at[4][4];
  int32_t mask[4][4];
  bool inside;  // all inputs are inside of the image

  TileInputs(const TiledConv& c, const float* x, const TilePlace& place) {
    const int64_t first_row = place.row() - c.rows_before;
    const int64_t first_column = place.column() - c.columns_before;
    const int64_t first =
        ((place.image() * c.in_rows + first_row) * c.in_columns +
         first_column) *
        c.in_depth;
    inside = first_row >= 0 && first_row + 4 <= c.in_rows &&
             first_column >= 0 && first_column + 4 <= c.in_columns;
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        int64_t here = first + (i * c.in_columns + j) * c.in_depth;
        mask[i][j] = -1;
        if (!inside) {
          const int64_t row = first_row + i, column = first_column + j;
          const bool is_in = row >= 0 && row < c.in_rows && column >= 0 &&
                             column < c.in_columns;
          if (!is_in) here = mask[i][j] = 0;
        }
        at[i][j] = x + here;
      }
    }
  }
};

}  // namespace millrace::ops
