// JPEG pictures, by libjpeg-turbo.
#pragma once

#include <array>
#include <string>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

struct JpegReadOptions {
  int channels = 0;  // 0: as the picture; 1 or 3
  int ratio = 1;     // the picture is made smaller by 1, 2, 4 or 8
  bool fancy_upscaling = true;
  // Lines that a cut file lacks repeat the last one that it has.
  bool recover_truncated = false;
  // Otherwise they are black, if at least this part of the lines is there.
  float acceptable_fraction = 1;
  bool accurate_dct = false;
  bool crop = false;  // to this window of the (smaller) picture
  int64_t crop_y = 0, crop_x = 0, crop_height = 0, crop_width = 0;
};

// INVALID_ARGUMENT for what is no whole JPEG picture of less than 2^29
// samples, and for windows that do not lie in it. RESOURCE_EXHAUSTED where the
// process's budget has no room for what a picture of several scans needs.
Status ReadJpeg(absl::string_view bytes, const JpegReadOptions& options,
                PixelAllocator allocate, StopCheck stop);

// Height, width and channels. Errors as ReadJpeg.
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

// `channels` is 1 or 3. INTERNAL "JPEG encoding failed" where libjpeg refuses:
// sides of 0 or over 65500, 2^29 pixels, metadata that fit no marker.
StatusOr<std::string> WriteJpeg(const uint8_t* pixels, int64_t height,
                                int64_t width, int channels,
                                const JpegWriteOptions& options,
                                StopCheck stop);

}  // namespace millrace::ops
