// The axes of a batch of images.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/train/layers/image_layout.h"
#include "millrace/train/layers/row_chunks.h"

namespace millrace::train {

struct ImageAxes {
  int rows = 1;
  int columns = 2;
  int channels = 3;
};

inline ImageAxes AxesOf(DataFormat data_format) {
  if (data_format == DataFormat::kNchw) {
    return {.rows = 2, .columns = 3, .channels = 1};
  }
  return {};
}

// Returns the attribute "explicit_paddings": rows before and after, for each
// axis.
inline std::vector<int64_t> ExplicitPaddings(const ImageAxes& axes,
                                             const Margins& rows,
                                             const Margins& columns) {
  std::vector<int64_t> paddings(8, 0);
  const auto set = [&](int axis, const Margins& margins) {
    paddings[static_cast<size_t>(2 * axis)] = margins.before;
    paddings[static_cast<size_t>(2 * axis + 1)] = margins.after;
  };
  set(axes.rows, rows);
  set(axes.columns, columns);
  return paddings;
}

}  // namespace millrace::train
