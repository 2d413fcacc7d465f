// Cuts lines of elements for kernels for GPUs that have few of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace millrace::ops {

// `number` slices of each line, of `size` elements; the last one may be
// shorter.
struct LineSlices {
  int64_t number = 1, size = 0;
};

// Cuts each of `lines` lines of `n` elements into slices of `least` elements or
// more, so that there are about `wanted` in all, or one of each line. They
// depend on no card, since they decide in which order elements are joined.
// Requires: all are above 0.
inline LineSlices CutLines(int64_t lines, int64_t n, int64_t wanted,
                           int64_t least) {
  const int64_t most =
      std::max<int64_t>(1, std::min(wanted / lines, n / least));
  const int64_t size = (n + most - 1) / most;
  return {(n + size - 1) / size, size};
}

}  // namespace millrace::ops
