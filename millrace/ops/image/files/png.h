// PNG images, by libpng.
#pragma once

#include <string>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// Decodes an image to `channels` samples a pixel (0: as in the file, where a
// palette gives colours and, if some are transparent, alpha; else 1 to 4) of
// `bits` 8 or 16 each, in the machine's byte order; the buffer must fit that.
// Returns INVALID_ARGUMENT for data that are not a complete PNG image of less
// than 2^29 pixels.
Status ReadPng(absl::string_view bytes, int channels, int bits,
               PixelAllocator allocate, StopCheck stop);

// Encodes row-major pixels: 1 channel is grey, 2 grey and alpha, 3 red, green
// and blue, 4 these and alpha; 8 bits each, or 16 in the machine's byte order.
// `compression` is 0 to 9, or -1 for zlib's default. Returns INTERNAL "PNG
// encoding failed: ..." if libpng refuses the image (for example, sides beyond
// its limit of a million pixels).
StatusOr<std::string> WritePng(const void* pixels, int64_t height,
                               int64_t width, int channels, int bits,
                               int compression, StopCheck stop);

}  // namespace millrace::ops
