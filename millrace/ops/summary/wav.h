// Sounds as WAV files.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "millrace/base/status.h"

namespace millrace::ops {

struct WavFormat {
  float rate = 0;  // frames a second, whole ones
  int64_t channels = 0;
  int64_t frames = 0;
};

// 16 bits a sample, little endian; `samples` (frames by channels) are cut to
// [-1, 1]. INVALID_ARGUMENT for sizes that the format's numbers do not hold,
// and for nothing at all.
StatusOr<std::string> EncodeWav(const WavFormat& format,
                                absl::Span<const float> samples);

}  // namespace millrace::ops
