// Bytes that may outlive the call which brought them.
#pragma once

#include "millrace/tensor/chunks.h"

namespace millrace {

// `bytes` with every borrowed chunk copied; owned ones stay where they are.
ByteChunks OwnedBytes(ByteChunks bytes);

}  // namespace millrace
