#include "millrace/protocol/codec.h"
#include "millrace/protocol/message_encoder.h"
#include "millrace/protocol/worker_fields.h"

namespace millrace {

#define MR_REQUEST_CODEC(Name)                                     \
  Status Decode(const ByteChunks& bytes, Name##Request* request) { \
    return internal::DecodeMessage(ChunkReader(bytes), request);   \
  }                                                                \
  StatusOr<ByteChunks> Encode(const Name##Request& request) {      \
    return internal::EncodeMessage(request, StringForm::kContent); \
  }
#define MR_REPLY_CODEC(Name)                                     \
  Status Decode(const ByteChunks& bytes, Name##Reply* reply) {   \
    return internal::DecodeMessage(ChunkReader(bytes), reply);   \
  }                                                              \
  StatusOr<ByteChunks> Encode(const Name##Reply& reply) {        \
    return internal::EncodeMessage(reply, StringForm::kContent); \
  }
MR_WORKER_METHODS(MR_REQUEST_CODEC)

MR_REPLY_CODEC(GetStatus)
MR_REPLY_CODEC(CreateWorkerSession)
MR_REPLY_CODEC(DeleteWorkerSession)
MR_REPLY_CODEC(RegisterGraph)
MR_REPLY_CODEC(DeregisterGraph)
MR_REPLY_CODEC(RunGraph)
MR_REPLY_CODEC(CleanupGraph)
MR_REPLY_CODEC(CleanupAll)
MR_REPLY_CODEC(RecvBuf)
MR_REPLY_CODEC(Logging)
MR_REPLY_CODEC(Tracing)
MR_REPLY_CODEC(CompleteGroup)
MR_REPLY_CODEC(CompleteInstance)
MR_REPLY_CODEC(GetStepSequence)
MR_REPLY_CODEC(MarkRecvFinished)

// RecvTensorReply is special: the receiver chooses the memory of the tensor,
// and a tensor is required.
Status Decode(const ByteChunks& bytes, RecvTensorReply* reply,
              Allocator* allocator) {
  ChunkReader in(bytes);
  ChunkReader tensor;
  while (!in.done()) {
    FieldTag t;
    bool ok = in.ReadTag(&t);
    if (ok && t.Is(1, WireType::kBytes)) {
      ok = in.ReadBytes(&tensor);
    } else if (ok) {
      internal::StatusParts parts;
      internal::FieldDecoder f(&in, t, &parts);
      f(2, reply->is_dead);
      f(3, reply->send_start_micros);
      f(4, reply->transport_options);
      f(5, reply->require_ack);
      MR_RETURN_IF_ERROR(f.TakeStatus());
      if (!f.matched()) ok = in.SkipField(t);
    }
    if (!ok) return internal::MalformedMessage();
  }
  // A dead tensor has no value; some peers omit it altogether.
  if (tensor.done() && reply->is_dead) return OkStatus();
  MR_ASSIGN_OR_RETURN(reply->tensor, DecodeTensor(tensor, allocator));
  return OkStatus();
}

Status Decode(const ByteChunks& bytes, RecvTensorReply* reply) {
  return Decode(bytes, reply, HostAllocator());
}

StatusOr<ByteChunks> Encode(const RecvTensorReply& reply) {
  if (reply.tensor.valid())
    return internal::EncodeMessage(reply, StringForm::kContent);
  if (!reply.is_dead)
    return Internal("RecvTensor has no tensor to answer with");
  RecvTensorReply dead = reply;  // stock peers require a type and a shape
  dead.tensor = Tensor::Zeros(DataType::kFloat, {0});
  return internal::EncodeMessage(dead, StringForm::kContent);
}

}  // namespace millrace
