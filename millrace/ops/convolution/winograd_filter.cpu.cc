// The transformation of filters.
#include <algorithm>

#include "millrace/ops/convolution/winograd_kernels.h"

namespace millrace::ops {
namespace {

constexpr int64_t kFilterTaps = 9;

}  // namespace

int64_t WinogradFilterSize(const TiledConv& c) {
  const int64_t vectors = (c.out_depth + kWinogradLanes - 1) / kWinogradLanes;
  return kWinogradTaps * c.in_depth * vectors * kWinogradLanes;
}

void TransformFilter(const WinogradKernels& kernels, const TiledConv& c,
                     const WinogradFilter& filter, int64_t first,
                     float* transformed) {
  const int64_t rows = std::min(kWinogradLanes, c.in_depth - first);
  const int64_t tap = c.in_depth * c.out_depth;
  alignas(64) float flipped[kFilterTaps * kWinogradLanes * kWinogradLanes];
  for (int64_t p = 0; p < WinogradPanel::Count(c.out_depth); ++p) {
    const WinogradPanel panel = WinogradPanel::At(c.out_depth, p);
    const int64_t width = panel.vectors * kWinogradLanes;
    for (int64_t v = 0; v < panel.vectors; ++v) {
      const int64_t out = panel.first + v * kWinogradLanes;
      const int64_t columns = std::min(kWinogradLanes, c.out_depth - out);
      WinogradKernels::FilterTaps taps{
          filter.elements + first * c.out_depth + out, tap, c.out_depth,
          columns};
      if (filter.flipped) {
        for (int64_t t = 0; t < kFilterTaps; ++t) {
          kernels.transpose_square(
              filter.elements + t * tap + out * c.in_depth + first, c.in_depth,
              columns, rows,
              flipped +
                  (kFilterTaps - 1 - t) * kWinogradLanes * kWinogradLanes);
        }
        taps = {flipped, kWinogradLanes * kWinogradLanes, kWinogradLanes,
                kWinogradLanes};
      }
      kernels.transform_taps(taps, rows, c.in_depth * width, width,
                             transformed +
                                 panel.first * c.in_depth * kWinogradTaps +
                                 first * width + v * kWinogradLanes);
    }
  }
}

}  // namespace millrace::ops
