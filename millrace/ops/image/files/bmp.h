// Uncompressed BMP images: 8 bits a pixel are grey, 24 are blue, green and red,
// 32 these and alpha.
#pragma once

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// Decodes an image. `channels` is 0 (as in the file), 3 or 4. Returns
// INVALID_ARGUMENT for any other kind of BMP, and for files whose size is not
// exactly what their header says.
Status ReadBmp(absl::string_view bytes, int channels, PixelAllocator allocate,
               StopCheck stop);

}  // namespace millrace::ops
