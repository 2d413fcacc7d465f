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
MR_FIELDS(ServerDevice) {
  f(1, m.name);
  f(2, m.description);
  f(3, m.memory_used_bytes);
  f(4, m.memory_peak_bytes);
  f(5, m.memory_limit_bytes);
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
  f(22, m.prepared_runs);
  f(23, m.plans);
  f(24, m.kernels);
  f(25, m.devices);
}
MR_FIELDS(RelayTimes) {
  f(1, m.sent_nanos);
  f(2, m.received_nanos);
}
MR_FIELDS(TraceTask) {
  f(1, m.task);
  f(2, m.address);
}
MR_FIELDS(StartTraceRequest) {
  f(1, m.task);
  f(2, m.relayed);
  f(3, m.trace_id, internal::Fixed64{});
  f(4, m.steps);
  f(5, m.max_events);
}
MR_FIELDS(StartTraceReply) {
  f(1, m.task);
  f(2, m.version);
  f(3, m.machine);
  f(4, m.now_nanos);
  f(5, m.relay);
  f(6, m.tasks);
}
MR_FIELDS(CollectTraceRequest) {
  f(1, m.task);
  f(2, m.relayed);
  f(3, m.trace_id, internal::Fixed64{});
  f(4, m.only_progress);
  f(5, m.end);
}
MR_FIELDS(TracedStep) {
  f(1, m.step_id);
  f(2, m.session);
  f(3, m.start_nanos);
  f(4, m.end_nanos);
  f(5, m.error);
  f(6, m.waits_for);
}
MR_FIELDS(TracedNode) {
  f(1, m.step_id);
  f(2, m.name);
  f(3, m.op);
  f(4, m.device);
  f(5, m.outputs);
  f(6, m.bytes);
  f(7, m.thread_id);
  f(8, m.is_async);
  f(9, m.start_nanos);
  f(10, m.duration_nanos);
}
MR_FIELDS(TracedTransfer) {
  f(1, m.step_id);
  f(2, m.key);
  f(3, m.request_id);
  f(4, m.is_send);
  f(5, m.is_dead);
  f(6, m.bytes);
  f(7, m.start_nanos);
  f(8, m.duration_nanos);
}
MR_FIELDS(TracedThread) {
  f(1, m.thread_id);
  f(2, m.name);
}
MR_FIELDS(CollectTraceReply) {
  f(1, m.now_nanos);
  f(2, m.relay);
  f(3, m.steps);
  f(4, m.strings);
  f(5, m.nodes);
  f(6, m.transfers);
  f(7, m.threads);
  f(8, m.dropped_events);
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
