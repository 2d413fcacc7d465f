// Snappy's block format, written from its description
// (google/snappy, format_description.txt): a varint, the number of bytes, and
// then tags, each with bytes to copy from the input or from the output so far.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Requires: `bytes` is below 4 GiB, the largest size that the format has.
std::string SnappyCompress(absl::string_view bytes);

// Returns DATA_LOSS for what is not compressed data, and RESOURCE_EXHAUSTED if
// memory has no room for the bytes. Never uses more memory than some twenty
// times that of the input.
StatusOr<std::string> SnappyDecompress(absl::string_view compressed);

}  // namespace millrace
