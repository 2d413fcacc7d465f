// Lines of text files.
#pragma once

#include <string>

#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace::ops {

// The next line, without its line feed and a carriage return in front of that.
// False at the end; a last line needs no line feed. RESOURCE_EXHAUSTED for a
// line longer than a quarter of what the memory budget has left.
StatusOr<bool> ReadTextLine(ByteStream& in, std::string* line);

}  // namespace millrace::ops
