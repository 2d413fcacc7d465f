// Reads WAV files of 16 bits a sample.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// The samples of a file, as a view into it: 16-bit numbers, little endian, the
// channels of a moment together.
struct WavFile {
  int64_t rate = 0;
  int64_t channels = 0;
  int64_t frames = 0;
  absl::string_view samples;  // 2 * channels * frames bytes
};

// Returns INVALID_ARGUMENT if the bytes are no such file.
StatusOr<WavFile> ReadWav(absl::string_view bytes);

}  // namespace millrace::ops
