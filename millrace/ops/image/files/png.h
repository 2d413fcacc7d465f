// PNG pictures, by libpng.
#pragma once

#include <string>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// Reads with `channels` (0: as the picture, where a palette is colours and, if
// some are transparent, alpha; else 1 to 4) of `bits` 8 or 16 each, in the
// machine's byte order; the buffer must suit that. INVALID_ARGUMENT for what
// is no whole PNG picture, or one of 2^29 pixels and more.
Status ReadPng(absl::string_view bytes, int channels, int bits,
               PixelAllocator allocate, StopCheck stop);

// Row-major: 1 channel is grey, 2 grey and alpha, 3 red, green and blue, 4
// these and alpha; 8 bits each, or 16 in the machine's byte order.
// `compression` 0 to 9, -1 for zlib's default. INTERNAL "PNG encoding failed:
// ..." where libpng refuses (sides beyond its limit of a million pixels, say).
StatusOr<std::string> WritePng(const void* pixels, int64_t height,
                               int64_t width, int channels, int bits,
                               int compression, StopCheck stop);

}  // namespace millrace::ops
