// RowChunks: which rows of an image the parts of an output need, over which
// windows slide: chunks that overlap where windows reach into the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/train/layers/image_layout.h"

namespace millrace::train {

// Windows along one dimension.
struct Windows {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  Padding padding = Padding::kValid;

  // Returns the distance from the first to the last row of a window, and one.
  int64_t reach() const { return (size - 1) * dilation + 1; }
};

// Returns the number of windows over `length` rows, which is that of rows of
// the output; 0 if not even one fits.
int64_t WindowCount(int64_t length, const Windows& windows);

// Rows of padding on both sides.
struct Margins {
  int64_t before = 0;
  int64_t after = 0;

  explicit operator bool() const { return before > 0 || after > 0; }
  friend bool operator==(const Margins&, const Margins&) = default;
};
// Returns those of all windows together, as SAME and VALID have them.
Margins MarginsOf(int64_t length, const Windows& windows);

// The rows [begin, end) that some windows need, and the padding around them:
// windows of kind kValid over all of that give the chunk of the output.
struct RowChunk {
  int64_t begin = 0;
  int64_t end = 0;
  Margins margins;

  friend bool operator==(const RowChunk&, const RowChunk&) = default;
};
// Returns the chunks for `parts` even parts of the output (EvenSizes).
// Requires: at most WindowCount(length, windows) parts.
std::vector<RowChunk> RowChunks(int64_t length, const Windows& windows,
                                size_t parts);

}  // namespace millrace::train
