// Attributes, shapes and both axes of kernels that resize images.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/image/axis.h"

namespace millrace::ops {

// Reads align_corners and half_pixel_centers. Returns INVALID_ARGUMENT if both
// are set.
StatusOr<ResizeOptions> ReadResizeOptions(const KernelInit& init);

// Requires [batch, height, width, channels]; else returns INVALID_ARGUMENT
// "WHAT must be 4-dimensional".
Status CheckImages(const Tensor& t, const char* what);

// Returns the shape of `images` with the height and width that `size` holds.
// Returns INVALID_ARGUMENT unless both sizes are positive, before and after.
StatusOr<TensorShape> ResizedShape(const Tensor& images, const Tensor& size);
// Returns INVALID_ARGUMENT for images without channels.
Status ExpectChannels(const Tensor& images);

// Returns the shape of the original that has these gradients: the sides of
// `original` and, as in stock, the batch and channels of the gradients.
StatusOr<TensorShape> OriginalShape(const Tensor& grad, const Tensor& original);
// Returns the shape of the original with `size`, [height, width], that has
// these gradients.
StatusOr<TensorShape> UnresizedShape(const Tensor& grad, const Tensor& size);

// The axes from original images to resized ones: taps are pixels of the
// original.
struct Plane {
  Axis y, x;
  int64_t places_of_taps_y = 0, places_of_taps_x = 0;
  int64_t channels = 0;
};

// Requires sides of at least 1.
Plane MakePlane(ResizeMethod method, const ResizeOptions& options,
                const TensorShape& original, const TensorShape& resized);

}  // namespace millrace::ops
