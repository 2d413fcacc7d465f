// Field numbers: proto/service/millrace_messages.proto.
#include "millrace/protocol/codec.h"
#include "millrace/protocol/message_encoder.h"

namespace millrace {

MR_FIELDS(MemoryProof) {
  f(1, m.machine_id);
  f(2, m.process_id);
  f(3, m.nonce_address, internal::Fixed64{});
  f(4, m.nonce_size);
}
MR_FIELDS(HelloRequest) {
  f(1, m.task);
  f(2, m.incarnation, internal::Fixed64{});
  f(3, m.protocol_version);
  f(4, m.features);
  f(5, m.memory);
}
MR_FIELDS(HelloReply) {
  f(1, m.task);
  f(2, m.incarnation, internal::Fixed64{});
  f(3, m.protocol_version);
  f(4, m.features);
  f(5, m.memory);
  f(6, m.caller_nonce);
  f(7, m.bulk_address);
  f(8, m.bulk_token);
  f(9, m.local_address);
}
MR_FIELDS(StopRequest) {
  f(1, m.grace_ms);
  f(2, m.reason);
}
MR_FIELDS(StopReply) {}
MR_FIELDS(ServerStatusRequest) { f(1, m.max_waits); }
MR_FIELDS(ServerWait) {
  f(1, m.kind);
  f(2, m.text);
  f(3, m.waiting_ms);
  f(4, m.step_id);
}
MR_FIELDS(ServerStatusReply) {
  f(1, m.task);
  f(2, m.incarnation, internal::Fixed64{});
  f(3, m.version);
  f(4, m.uptime_ms);
  f(5, m.master_sessions);
  f(6, m.worker_sessions);
  f(7, m.registered_graphs);
  f(8, m.running_steps);
  f(9, m.rendezvous_entries);
  f(10, m.queues);
  f(11, m.variables);
  f(12, m.variable_bytes);
  f(13, m.memory_used_bytes);
  f(14, m.memory_peak_bytes);
  f(15, m.memory_limit_bytes);
  f(16, m.steps_done);
  f(17, m.steps_failed);
  f(18, m.bytes_sent);
  f(19, m.bytes_received);
  f(20, m.threads);
  f(21, m.waits);
}

#define MR_PEER_CODEC(Message)                                   \
  Status Decode(const ByteChunks& bytes, Message* message) {     \
    return internal::DecodeMessage(ChunkReader(bytes), message); \
  }                                                              \
  StatusOr<ByteChunks> Encode(const Message& message) {          \
    return internal::EncodeMessage(message);                     \
  }
#define MR_PEER_METHOD_CODEC(Name) \
  MR_PEER_CODEC(Name##Request)     \
  MR_PEER_CODEC(Name##Reply)
MR_PEER_METHODS(MR_PEER_METHOD_CODEC)
MR_ADMIN_METHODS(MR_PEER_METHOD_CODEC)

}  // namespace millrace
