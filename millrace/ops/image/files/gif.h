// GIF pictures and animations.
#pragma once

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

enum class GifFrames { kAll, kFirst };

// Reads frames as red, green and blue. The canvas is as wide and as high as the
// widest and the highest frame; a frame covers its part of what was there
// before, at first black. INVALID_ARGUMENT where there is no whole frame; what
// is behind the first damage of a file is left out, as stock does.
Status ReadGif(absl::string_view bytes, GifFrames which,
               FrameAllocator allocate, StopCheck stop);

}  // namespace millrace::ops
