// Ordered code: encodes numbers and strings as bytes that sort as the values
// do.
//
// The keys of tensor slices in checkpoints use it. Encodings may follow each
// other in one string; a decoder removes its own from the front.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace millrace::ordered_code {

// Appends a string of any bytes: 00 becomes 00 FF, FF becomes FF 00, and
// 00 01 ends it.
void AppendString(std::string* out, absl::string_view value);
// Appends a count byte (0 to 8), then that many bytes, big-endian, without
// leading zeros.
void AppendNumber(std::string* out, uint64_t value);
// Appends a number in 1 to 10 bytes; -64 to 63 take one byte, 80 + value.
void AppendSigned(std::string* out, int64_t value);

// Each removes one encoding from the front of `in`. Returns false, with `in`
// unchanged, if the bytes are not such an encoding or not the shortest one.
[[nodiscard]] bool TakeString(absl::string_view* in, std::string* value);
[[nodiscard]] bool TakeNumber(absl::string_view* in, uint64_t* value);
[[nodiscard]] bool TakeSigned(absl::string_view* in, int64_t* value);

}  // namespace millrace::ordered_code
