// Every message of the protocol as bytes, and back.
//
// Big tensors are passed by reference both ways (tensor/wire.h). Decode works
// on what gRPC or another process sent: any bytes give a message or
// INVALID_ARGUMENT (RESOURCE_EXHAUSTED where memory is short), unknown fields
// are skipped, or kept where the struct has `unknown_fields`. Decode expects a
// fresh struct; a repeated field is appended to. Encode fails only for tensors
// that cannot travel. Strings go as tensor_content, in RunStep's and
// RunCallable's answers as string_val.
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

// Messages that also travel on their own, in files and attributes.
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

// RecvTensorReply with the tensor in memory of another allocator.
Status Decode(const ByteChunks& bytes, RecvTensorReply* reply,
              Allocator* allocator);

}  // namespace millrace
