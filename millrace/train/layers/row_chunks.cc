#include "millrace/train/layers/row_chunks.h"

#include <algorithm>

#include "millrace/train/layers/split_tensor.h"

namespace millrace::train {

int64_t WindowCount(int64_t length, const Windows& windows) {
  if (windows.padding == Padding::kSame) {
    return (length + windows.stride - 1) / windows.stride;
  }
  if (length < windows.reach()) return 0;
  return (length - windows.reach()) / windows.stride + 1;
}

Margins MarginsOf(int64_t length, const Windows& windows) {
  if (windows.padding == Padding::kValid) return {};
  const int64_t covered =
      (WindowCount(length, windows) - 1) * windows.stride + windows.reach();
  const int64_t all = std::max<int64_t>(covered - length, 0);
  return {.before = all / 2, .after = all - all / 2};
}

std::vector<RowChunk> RowChunks(int64_t length, const Windows& windows,
                                size_t parts) {
  const int64_t before = MarginsOf(length, windows).before;
  std::vector<RowChunk> chunks;
  int64_t window = 0;
  for (const int64_t count : EvenSizes(WindowCount(length, windows), parts)) {
    const int64_t first = window * windows.stride - before;
    window += count;
    const int64_t last =
        (window - 1) * windows.stride - before + windows.reach();
    RowChunk chunk{.begin = std::max<int64_t>(first, 0),
                   .end = std::min(last, length),
                   .margins = {}};
    chunk.margins = {.before = chunk.begin - first, .after = last - chunk.end};
    chunks.push_back(chunk);
  }
  return chunks;
}

}  // namespace millrace::train
