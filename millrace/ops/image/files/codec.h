// The callbacks of decoders of image files, which allocate memory and may stop
// them. A decoder checks a size that a file claims before it allocates memory
// for it, and never throws.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp, kWebP };

// Returns the format by the first bytes of a file.
ImageFormat FormatOf(absl::string_view bytes);

// Allocates the samples of an image, row-major, once its size is known. Called
// at most once; an error ends the decoding and is its result.
using PixelAllocator = absl::FunctionRef<StatusOr<uint8_t*>(
    int64_t height, int64_t width, int64_t channels)>;
// Allocates the samples of all frames of an animation.
using FrameAllocator = absl::FunctionRef<StatusOr<uint8_t*>(
    int64_t frames, int64_t height, int64_t width, int64_t channels)>;
// Returns OK, or the reason why the work should end. Called between rows, on
// the same thread.
using StopCheck = absl::FunctionRef<Status()>;
// The number of rows between two such calls.
inline constexpr int kRowsBetweenStops = 64;

}  // namespace millrace::ops
