// Reads lines of text files.
#pragma once

#include <string>

#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace::ops {

// Reads the next line, without its line feed and a carriage return before that.
// Returns false at the end; the last line needs no line feed. Returns
// RESOURCE_EXHAUSTED for a line longer than a quarter of the remaining memory
// budget.
StatusOr<bool> ReadTextLine(ByteStream& in, std::string* line);

}  // namespace millrace::ops
