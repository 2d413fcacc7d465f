// Messages that their sender has compressed (`compression_algorithm` of a
// client's RPCOptions).
#pragma once

#include <grpc/compression.h>
#include <grpcpp/support/byte_buffer.h>

#include "millrace/base/status.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// gRPC inflates a message before anybody can ask how large it becomes: a
// thousand times what was sent. So this is off at both ends of a connection
// (GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION), and Inflate does it in memory
// that counts.

// Returns how a received message is compressed.
grpc_compression_algorithm CompressionOf(grpc::ByteBuffer& buffer);

// Empties `buffer`, which is compressed with `algorithm`, and returns its
// message in memory of the host's allocator. Returns RESOURCE_EXHAUSTED if that
// has no room, DATA_LOSS for bytes that are not of this algorithm.
StatusOr<ByteChunks> Inflate(grpc::ByteBuffer* buffer,
                             grpc_compression_algorithm algorithm);

}  // namespace millrace
