// ByteChunks as gRPC's slices and back, without copying what is big.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "millrace/base/status.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// Owned chunks of at least this size are sent from where they lie.
inline constexpr size_t kMinSharedSliceBytes = 4096;

// Shares the big chunks' owners until gRPC has sent them, and copies the rest.
grpc::ByteBuffer ToByteBuffer(const ByteChunks& bytes);

// The slices of `buffer`, which is emptied, shared by their chunks: gRPC has
// its memory back behind the last chunk, on whatever thread that ends. Messages
// of 64 KB and more count against the memory budget as long as any of their
// chunks lives: RESOURCE_EXHAUSTED above its limit, DATA_LOSS if gRPC cannot
// read (decompress) the message.
StatusOr<ByteChunks> TakeBytes(grpc::ByteBuffer* buffer);

}  // namespace millrace
