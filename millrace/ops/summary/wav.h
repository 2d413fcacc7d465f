// Encodes audio as WAV files.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "millrace/base/status.h"

namespace millrace::ops {

struct WavFormat {
  float rate = 0;  // frames a second, an integer
  int64_t channels = 0;
  int64_t frames = 0;
};

// Encodes with 16 bits a sample, little endian; `samples` (frames by channels)
// are clamped to [-1, 1]. Returns INVALID_ARGUMENT for sizes that do not fit
// the format's fields, and for no samples.
StatusOr<std::string> EncodeWav(const WavFormat& format,
                                absl::Span<const float> samples);

}  // namespace millrace::ops
