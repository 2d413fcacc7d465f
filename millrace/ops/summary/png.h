// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/status.h"

namespace millrace::ops {

// 8 bits a channel, row-major: 1 channel is grey, 2 grey and alpha, 3 red,
// green and blue, 4 these and alpha. INTERNAL "PNG encoding failed: ..." where
// libpng refuses (sides beyond its limit of a million pixels, say).
StatusOr<std::string> EncodePng(const uint8_t* pixels, int width, int height,
                                int channels);

}  // namespace millrace::ops
