// Encodes and decodes every message of the protocol.
//
// Large tensors are passed by reference both ways (tensor/wire.h). Decode
// accepts untrusted bytes from gRPC or another process: any bytes give a
// message or INVALID_ARGUMENT (RESOURCE_EXHAUSTED if memory is short); unknown
// fields are skipped, or kept if the struct has `unknown_fields`. Decode
// expects a new struct; a repeated field is appended to. Encode fails only for
// tensors without an encoding. Strings are encoded as tensor_content, in the
// replies of RunStep and RunCallable as string_val.
#pragma once

#include "millrace/protocol/master.h"
#include "millrace/protocol/peer.h"
#include "millrace/protocol/worker.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

#define MR_DECLARE_CODEC(Message)                           \
  Status Decode(const ByteChunks& bytes, Message* message); \
  StatusOr<ByteChunks> Encode(const Message& message);
#define MR_DECLARE_METHOD_CODEC(Name) \
  MR_DECLARE_CODEC(Name##Request)     \
  MR_DECLARE_CODEC(Name##Reply)
MR_MASTER_METHODS(MR_DECLARE_METHOD_CODEC)
MR_WORKER_METHODS(MR_DECLARE_METHOD_CODEC)
MR_PEER_METHODS(MR_DECLARE_METHOD_CODEC)
MR_ADMIN_METHODS(MR_DECLARE_METHOD_CODEC)

// Messages that are also used on their own, in files and attributes.
MR_DECLARE_CODEC(ConfigOptions)
MR_DECLARE_CODEC(RunOptions)
MR_DECLARE_CODEC(CallableOptions)
MR_DECLARE_CODEC(ClusterDef)
MR_DECLARE_CODEC(ServerDef)
MR_DECLARE_CODEC(DeviceAttributes)
MR_DECLARE_CODEC(StepStats)
MR_DECLARE_CODEC(RunMetadata)
#undef MR_DECLARE_METHOD_CODEC
#undef MR_DECLARE_CODEC

// Decodes a RecvTensorReply with the tensor in memory of another allocator.
Status Decode(const ByteChunks& bytes, RecvTensorReply* reply,
              Allocator* allocator);

}  // namespace millrace
