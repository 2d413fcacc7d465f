// What the readers of picture files share: who gives the memory, who may stop
// them. Readers never take memory for a size that a file claims before they
// have checked it, and never throw.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp, kWebP };

// By the first bytes.
ImageFormat FormatOf(absl::string_view bytes);

// Gives room for the samples of a picture, row-major, once its size is known.
// Called at most once; an error ends the reading and is its result.
using PixelAllocator = absl::FunctionRef<StatusOr<uint8_t*>(
    int64_t height, int64_t width, int64_t channels)>;
// The same for the pictures of an animation.
using FrameAllocator = absl::FunctionRef<StatusOr<uint8_t*>(
    int64_t frames, int64_t height, int64_t width, int64_t channels)>;
// OK, or why the work is to end. Asked between rows, on the same thread.
using StopCheck = absl::FunctionRef<Status()>;
// How many rows lie between two such questions.
inline constexpr int kRowsBetweenStops = 64;

}  // namespace millrace::ops
