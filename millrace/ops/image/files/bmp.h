// BMP pictures without compression: 8 bits a pixel are grey, 24 blue, green
// and red, 32 these and alpha.
#pragma once

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// `channels` 0 (as the picture), 3 or 4. INVALID_ARGUMENT for any other kind
// of BMP, and for files whose size is not exactly what their header says.
Status ReadBmp(absl::string_view bytes, int channels, PixelAllocator allocate,
               StopCheck stop);

}  // namespace millrace::ops
