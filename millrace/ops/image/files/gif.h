// GIF images and animations.
#pragma once

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

enum class GifFrames { kAll, kFirst };

// Decodes frames as red, green and blue. The canvas is as wide and as high as
// the widest and the highest frame; a frame covers its part of the canvas,
// which is black at first. Returns INVALID_ARGUMENT if there is no complete
// frame; everything behind the first damage of a file is left out, as in stock.
Status ReadGif(absl::string_view bytes, GifFrames which,
               FrameAllocator allocate, StopCheck stop);

}  // namespace millrace::ops
