// Convolutions of 3 x 3 windows by tiles of 2 x 2 outputs, F(2x2, 3x3) of
// A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks",
// 2015: a tile of 4 x 4 inputs and the filter are each transformed to 16 taps,
// the taps are multiplied (16 numbers for 4 outputs instead of 36), and the
// products transformed to the outputs. Over all channels, a tap of many tiles
// is a product of matrices.
//
// What runs in them is compiled for several instruction sets
// (winograd_kernels.h). They are for any thread; who calls gives each its part
// of what is written.
#pragma once

#include <cstdint>

namespace millrace::ops {

inline constexpr int64_t kWinogradTaps = 16;
inline constexpr int64_t kWinogradLanes = 16;  // channels of a vector

struct WinogradKernels;

// A convolution of images with channels last, as tiles: from whatever is
// `in` to `out`. Tiles count along a row of an image, rows, and images; those
// at the end of rows and columns may be half outside.
struct TiledConv {
  int64_t batch = 0;
  int64_t in_rows = 0, in_columns = 0, in_depth = 0;
  int64_t out_rows = 0, out_columns = 0, out_depth = 0;
  // Zeros in front of the input; where negative, inputs that nobody reads.
  int64_t rows_before = 0, columns_before = 0;

  int64_t TileRows() const { return (out_rows + 1) / 2; }
  int64_t TileColumns() const { return (out_columns + 1) / 2; }
  int64_t Tiles() const { return batch * TileRows() * TileColumns(); }
};

// Channels of the output that are computed together: `vectors` times
// kWinogradLanes, the last of the output padded.
struct WinogradPanel {
  static constexpr int64_t kMostVectors = 4;
  static constexpr int64_t kMost = kMostVectors * kWinogradLanes;

  int64_t first = 0;  // channel
  int64_t vectors = 0;

  static int64_t Count(int64_t out_depth);
  static WinogradPanel At(int64_t out_depth, int64_t index);
};

// Transformed filters: by panel, tap, channel of the input, channel of the
// panel; in floats.
int64_t WinogradFilterSize(const TiledConv& c);

// Where a filter's elements are. As it is given to a convolution, or turned for
// the gradient of its input: taps in the opposite order, channels swapped.
struct WinogradFilter {
  const float* elements;  // [3, 3, in, out], or [3, 3, out, in] if turned
  bool turned;
};

// Transforms the channels [first, first + kWinogradLanes) of the input, which
// may end before that.
void TransformFilter(const WinogradKernels& kernels, const TiledConv& c,
                     const WinogradFilter& filter, int64_t first,
                     float* transformed);

// The transformed inputs of a block of tiles and their products with a panel,
// both by tap, tile, channel; channels are padded to whole vectors.
class WinogradBlock {
 public:
  static constexpr int64_t kStrip = 6;  // tiles that are multiplied together

  // `tiles` at most, a multiple of kStrip. `kernels` must live as long.
  WinogradBlock(const WinogradKernels& kernels, int64_t tiles,
                int64_t in_depth);

  int64_t tiles() const { return tiles_; }
  // Floats that it needs.
  int64_t Size() const { return kWinogradTaps * (in_stride_ + out_stride_); }

  // In the memory `block`, aligned to 64 bytes, for n tiles of c from `first`
  // on. Of the input, `channels` from x on are transformed.
  void TransformInput(const TiledConv& c, const float* x, int64_t channels,
                      int64_t first, int64_t n, float* block) const;
  void Multiply(const TiledConv& c, const float* filter,
                const WinogradPanel& panel, int64_t n, float* block) const;
  // False if any output is infinite or not a number.
  bool TransformOutput(const TiledConv& c, const WinogradPanel& panel,
                       int64_t first, int64_t n, const float* block,
                       float* y) const;

  // For the gradient of the filter, the other way round: the output's gradient
  // is transformed to where products are, and multiplied with the inputs, and
  // the products of all tiles are added to sums: by tap, channel of the input,
  // channel of the panel.
  static constexpr int64_t kSumsTap = (WinogradPanel::kMost + kStrip - 1) /
                                          kStrip * kStrip *
                                          WinogradPanel::kMost +
                                      kWinogradLanes;
  static constexpr int64_t kSumsSize = kWinogradTaps * kSumsTap;

  void TransformGradient(const TiledConv& c, const WinogradPanel& panel,
                         const float* dy, int64_t first, int64_t n,
                         float* block) const;
  void AddProducts(int64_t channels, const WinogradPanel& panel, int64_t n,
                   const float* block, float* sums) const;

 private:
  const WinogradKernels& kernels_;
  int64_t tiles_;
  int64_t in_row_;                  // of a tile
  int64_t in_stride_, out_stride_;  // of a tap
};

}  // namespace millrace::ops
