// Bytes that may outlive the call which brought them.
#pragma once

#include "millrace/tensor/chunks.h"

namespace millrace {

// `bytes` with every borrowed chunk copied; owned ones stay where they are.
ByteChunks OwnedBytes(ByteChunks bytes);
// A copy that shares nothing with `bytes`.
ByteChunks CopiedBytes(const ByteChunks& bytes);

}  // namespace millrace
