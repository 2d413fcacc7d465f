// Converts ByteChunks to gRPC's slices and back, without copying large chunks.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "millrace/base/status.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// Owned chunks of at least this size are sent without a copy.
inline constexpr size_t kMinSharedSliceBytes = 4096;

// Returns OK, or RESOURCE_EXHAUSTED for more bytes than a message of gRPC can
// have: it has 32 bits for its length, and cuts off the rest of it.
Status CheckFits(const ByteChunks& message);

// Returns a buffer that shares the large chunks with their owners until gRPC
// has sent them, and holds copies of the rest.
grpc::ByteBuffer ToByteBuffer(const ByteChunks& bytes);

// Empties `buffer` and returns chunks that share its slices, or hold a copy of
// a small one: gRPC gets its memory back after the last chunk is destroyed, on
// whatever thread. Messages
// of 64 KB and more count against the memory budget as long as any of their
// chunks lives. A compressed message is inflated (inflate.h). Errors:
// RESOURCE_EXHAUSTED above the budget's limit, DATA_LOSS if the message cannot
// be read.
StatusOr<ByteChunks> TakeBytes(grpc::ByteBuffer* buffer);

}  // namespace millrace
