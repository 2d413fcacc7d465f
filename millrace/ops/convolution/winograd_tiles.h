// Convolutions with 3 x 3 windows by tiles of 2 x 2 outputs: F(2x2, 3x3) of A.
// Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
// A tile of 4 x 4 inputs and the filter are each transformed to 16 taps, the
// taps are multiplied (16 multiplications for 4 outputs instead of 36), and the
// products are transformed to the outputs. Over all channels, a tap of many
// tiles is a product of matrices.
//
// The loops are compiled for several instruction sets (winograd_kernels.h). Any
// thread may call these functions; the caller makes sure that threads write to
// different parts.
#pragma once

#include <cstdint>

namespace millrace::ops {

inline constexpr int64_t kWinogradTaps = 16;
inline constexpr int64_t kWinogradLanes = 16;  // channels of a vector

struct WinogradKernels;

// A convolution of images, channels last, as tiles: from the tensor called `in`
// to the one called `out`. Tiles are numbered along a row of an image, then by
// row, then by image; those at the end of rows and columns may be half outside.
struct TiledConv {
  int64_t batch = 0;
  int64_t in_rows = 0, in_columns = 0, in_depth = 0;
  int64_t out_rows = 0, out_columns = 0, out_depth = 0;
  // Zeros before the input; if negative, the number of inputs that are not
  // read.
  int64_t rows_before = 0, columns_before = 0;

  int64_t TileRows() const { return (out_rows + 1) / 2; }
  int64_t TileColumns() const { return (out_columns + 1) / 2; }
  int64_t Tiles() const { return batch * TileRows() * TileColumns(); }
};

// Channels of the output that are computed together: `vectors` times
// kWinogradLanes; the last panel of the output is padded.
struct WinogradPanel {
  static constexpr int64_t kMaxVectors = 4;
  static constexpr int64_t kMaxChannels = kMaxVectors * kWinogradLanes;

  int64_t first = 0;  // first channel
  int64_t vectors = 0;

  static int64_t Count(int64_t out_depth);
  static WinogradPanel At(int64_t out_depth, int64_t index);
};

// Returns the size of a transformed filter in floats. It is laid out by panel,
// tap, channel of the input, channel of the panel.
int64_t WinogradFilterSize(const TiledConv& c);

// The elements of a filter: as the convolution got it or, for the gradient of
// its input, flipped and transposed (taps in reverse order, channels swapped).
struct WinogradFilter {
  const float* elements;  // [3, 3, in, out], or [3, 3, out, in] if flipped and
                          // transposed
  bool flipped;
};

// Transforms the input channels [first, first + kWinogradLanes), as far as they
// exist.
void TransformFilter(const WinogradKernels& kernels, const TiledConv& c,
                     const WinogradFilter& filter, int64_t first,
                     float* transformed);

// The transformed inputs of a block of tiles and their products with a panel,
// both laid out by tap, tile, channel; channels are padded to whole vectors.
class WinogradBlock {
 public:
  static constexpr int64_t kStrip = 6;  // tiles that are multiplied together

  // Holds at most `tiles` tiles, a multiple of kStrip. `kernels` must outlive
  // this.
  WinogradBlock(const WinogradKernels& kernels, int64_t tiles,
                int64_t in_depth);

  int64_t tiles() const { return tiles_; }
  // Returns the size of a block in floats.
  int64_t Size() const { return kWinogradTaps * (in_stride_ + out_stride_); }

  // Work on the memory `block`, aligned to 64 bytes, for n tiles of c from
  // `first` on. TransformInput transforms `channels` channels of the input from
  // x on.
  void TransformInput(const TiledConv& c, const float* x, int64_t channels,
                      int64_t first, int64_t n, float* block) const;
  void Multiply(const TiledConv& c, const float* filter,
                const WinogradPanel& panel, int64_t n, float* block) const;
  // Returns false if an output is infinite or NaN.
  bool TransformOutput(const TiledConv& c, const WinogradPanel& panel,
                       int64_t first, int64_t n, const float* block,
                       float* y) const;

  // For the gradient of the filter the roles are swapped: the output's gradient
  // is transformed to where the products are and multiplied by the inputs, and
  // the products of all tiles are added to sums, laid out by tap, channel of
  // the input, channel of the panel.
  static constexpr int64_t kSumsTap =
      (WinogradPanel::kMaxChannels + kStrip - 1) / kStrip * kStrip *
          WinogradPanel::kMaxChannels +
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
  int64_t in_row_;                  // floats in a row of a tile
  int64_t in_stride_, out_stride_;  // floats in a tap
};

}  // namespace millrace::ops
