// Resource handles as ResourceHandleProto bytes; for wire.cc.
#pragma once

#include "millrace/base/status.h"
#include "millrace/tensor/handle.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// An empty message is a null handle. A handle to a private resource keeps its
// names only: nobody else can reach it.
StatusOr<ResourceElement> DecodeHandle(ChunkReader in);
size_t EncodedHandleSize(const ResourceHandle* handle);
void EncodeHandle(const ResourceHandle* handle, ChunkWriter* out);

}  // namespace millrace
