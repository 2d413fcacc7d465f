// The loops of winograd_tiles.h for one instruction set. All sets give the same
// bits, except for sums that are rounded at different points, and all write
// whole vectors of kWinogradLanes.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/ops/convolution/winograd_tiles.h"

namespace millrace::ops {

struct WinogradKernels {
  const char* name;  // of the instruction set

  // Computes B^T d B of n tiles from `first` on. Writes rows of tiles, whose
  // taps are `stride` apart.
  void (*transform_input)(const TiledConv& c, const float* x, int64_t channels,
                          int64_t first, int64_t n, int64_t row, int64_t stride,
                          float* to);
  // Computes A^T m A of products. Returns false if an output is not finite.
  bool (*transform_output)(const TiledConv& c, const WinogradPanel& panel,
                           int64_t first, int64_t n, const float* m,
                           int64_t stride, float* y);
  // Computes A e A^T of the output's gradient.
  void (*transform_gradient)(const TiledConv& c, const WinogradPanel& panel,
                             int64_t first, int64_t n, const float* dy,
                             int64_t stride, float* to);

  // A strip of a matrix, whose element (i, k) is at i * row + k * step.
  struct Strip {
    const float* at;
    int64_t row, step;
  };
  // Sets c [kStrip, vectors] = a [kStrip, depth] b [depth, vectors], or adds
  // that to c; a vector is kWinogradLanes floats. Rows of b are b_row apart,
  // those of c WinogradPanel::kMaxChannels.
  using Multiply = void (*)(const Strip& a, const float* b, int64_t b_row,
                            int64_t depth, float* c);
  Multiply multiply[WinogradPanel::kMaxVectors];  // by number of vectors, from
                                                  // one on
  Multiply multiply_add[WinogradPanel::kMaxVectors];

  // Transposes a square of kWinogradLanes x kWinogradLanes floats: the first
  // `rows` rows of `columns` elements exist, `stride` apart; the rest is zero.
  void (*transpose_square)(const float* from, int64_t stride, int64_t rows,
                           int64_t columns, float* to);

  // The nine taps of a filter, for `columns` of kWinogradLanes channels of the
  // output.
  struct FilterTaps {
    const float* at;   // the first row
    int64_t tap, row;  // distances, in floats
    int64_t columns;
  };
  // Computes G g G^T for `rows` channels of the input. The transformed taps are
  // `to_tap` apart, their rows `to_row`.
  void (*transform_taps)(const FilterTaps& taps, int64_t rows, int64_t to_tap,
                         int64_t to_row, float* to);
  // Computes the gradient of a filter for channels of the input and output,
  // from `count` sums, kSumsSize apart. Returns false if an element is infinite
  // or NaN.
  bool (*sums_to_filter)(const TiledConv& c, const WinogradPanel& in,
                         const WinogradPanel& out, const float* sums,
                         int64_t count, float* filter);
};

extern const WinogradKernels kAvx512WinogradKernels;
extern const WinogradKernels kAvx2WinogradKernels;

// Returns the kernels that this machine can run, the fastest first.
absl::Span<const WinogradKernels* const> SupportedWinogradKernels();

}  // namespace millrace::ops
