// JPEG images, by libjpeg-turbo.
#pragma once

#include <array>
#include <string>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

struct JpegReadOptions {
  int channels = 0;  // 0: as in the file; 1 or 3
  int ratio = 1;     // the image is downscaled by 1, 2, 4 or 8
  bool fancy_upscaling = true;
  // Lines missing from a truncated file repeat the last one that it has.
  bool recover_truncated = false;
  // Otherwise they are black, if at least this fraction of the lines exists.
  float acceptable_fraction = 1;
  bool accurate_dct = false;
  bool crop = false;  // to this window of the (downscaled) image
  int64_t crop_y = 0, crop_x = 0, crop_height = 0, crop_width = 0;
};

// Decodes an image. Returns INVALID_ARGUMENT for data that are not a complete
// JPEG image of less than 2^29 samples, and for windows that do not lie in it.
// Returns RESOURCE_EXHAUSTED if the process's budget has no room for the memory
// that an image of several scans needs.
Status ReadJpeg(absl::string_view bytes, const JpegReadOptions& options,
                PixelAllocator allocate, StopCheck stop);

// Returns height, width and channels. The errors are those of ReadJpeg.
StatusOr<std::array<int64_t, 3>> JpegShape(absl::string_view bytes,
                                           StopCheck stop);

struct JpegWriteOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_cm = false;  // else in inches
  int x_density = 300, y_density = 300;
  absl::string_view xmp_metadata;
};

// Encodes an image; `channels` is 1 or 3. Returns INTERNAL "JPEG encoding
// failed" if libjpeg refuses it: sides of 0 or over 65500, 2^29 pixels,
// metadata that fit no marker.
StatusOr<std::string> WriteJpeg(const uint8_t* pixels, int64_t height,
                                int64_t width, int channels,
                                const JpegWriteOptions& options,
                                StopCheck stop);

}  // namespace millrace::ops
