// Copies of bytes that may outlive the call which brought them.
#pragma once

#include "millrace/tensor/chunks.h"

namespace millrace {

// Returns `bytes` with every borrowed chunk copied; owned chunks are kept as
// they are.
ByteChunks OwnedBytes(ByteChunks bytes);
// Returns a copy that shares no memory with `bytes`.
ByteChunks CopiedBytes(const ByteChunks& bytes);

}  // namespace millrace
