// Encodes and decodes resource handles as ResourceHandleProto bytes, for
// wire.cc.
#pragma once

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// An empty message is a null handle. The message of a handle to a private
// resource has only its names: another process cannot reach the resource.
StatusOr<ResourceElement> DecodeHandle(ChunkReader in);
// Decodes a tensor of handles from the TensorProto that is all of `in`; the
// last handle fills the rest of the shape.
StatusOr<Tensor> DecodeHandles(TensorShape shape, ChunkReader in,
                               Allocator* allocator);
size_t EncodedHandleSize(const ResourceHandle* handle);
void EncodeHandle(const ResourceHandle* handle, ChunkWriter* out);

}  // namespace millrace
