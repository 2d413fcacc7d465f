// The field numbers of a worker's messages: proto/service/worker.proto.
#pragma once

#include "millrace/protocol/master_fields.h"

namespace millrace {

MR_FIELDS(AnyMessage) {
  f(1, m.type_url);
  f(2, m.value);
}
MR_FIELDS(GetStatusRequest) {}
MR_FIELDS(GetStatusReply) { f(1, m.device_attributes); }
MR_FIELDS(CreateWorkerSessionRequest) {
  f(1, m.session_handle);
  f(2, m.server_def);
  f(3, m.isolate_session_state);
  f(4, m.cluster_device_attributes);
  f(5, m.master_task);
  f(6, m.master_incarnation);
}
MR_FIELDS(CreateWorkerSessionReply) {}
MR_FIELDS(DeleteWorkerSessionRequest) { f(1, m.session_handle); }
MR_FIELDS(DeleteWorkerSessionReply) {}
MR_FIELDS(RegisterGraphRequest) {
  f(1, m.session_handle);
  f(2, m.graph_def);
  f(3, m.has_control_flow);
  f(4, m.graph_options);
  f(5, m.debug_options);
  f(6, m.create_worker_session_called);
  f(7, m.collective_graph_key);
  f(8, m.config);
  f(internal::kRegistrationField, m.registration);
}
MR_FIELDS(RegisterGraphReply) { f(1, m.graph_handle); }
MR_FIELDS(DeregisterGraphRequest) {
  f(1, m.graph_handle);
  f(2, m.session_handle);
  f(3, m.create_worker_session_called);
}
MR_FIELDS(DeregisterGraphReply) {}
MR_FIELDS(ExecutorOptions) {
  f(1, m.record_costs);
  f(3, m.record_timeline);
  f(4, m.record_partition_graphs);
  f(5, m.report_tensor_allocations_upon_oom);
}
MR_FIELDS(RunGraphRequest) {
  f(1, m.graph_handle);
  f(2, m.step_id);
  f(3, m.send);
  f(4, m.recv_key);
  f(5, m.exec_options);
  f(6, m.is_partial);
  f(7, m.is_last_partial_run);
  f(8, m.session_handle);
  f(9, m.store_errors_in_response_body);
  f(10, m.create_worker_session_called);
  f(11, m.request_id);
  f(internal::kTraceIdsField, m.trace_ids);
}
MR_FIELDS(RunGraphReply) {
  f(1, m.recv);
  f(2, m.step_stats);
  f(3, m.cost_graph);
  f(4, m.partition_graphs);
  f(internal::StatusNumbers{5, 6}, m.status);
}
MR_FIELDS(CleanupGraphRequest) { f(1, m.step_id); }
MR_FIELDS(CleanupGraphReply) {}
MR_FIELDS(CleanupAllRequest) { f(1, m.containers); }
MR_FIELDS(CleanupAllReply) {}
MR_FIELDS(RecvTensorRequest) {
  f(1, m.step_id);
  f(2, m.rendezvous_key);
  f(3, m.dma_ok);
  f(4, m.client_locality);
  f(5, m.server_locality);
  f(6, m.transport_options);
  f(7, m.request_id);
}
MR_FIELDS(RecvTensorReply) {
  f(1, m.tensor);
  f(2, m.is_dead);
  f(3, m.send_start_micros);
  f(4, m.transport_options);
  f(5, m.require_ack);
}
MR_FIELDS(MarkRecvFinishedRequest) { f(1, m.request_id); }
MR_FIELDS(MarkRecvFinishedReply) {}
MR_FIELDS(LoggingRequest) {
  f(1, m.enable_rpc_logging);
  f(2, m.clear);
  f(3, m.fetch_step_id);
  f(4, m.disable_rpc_logging);
}
MR_FIELDS(LabeledStepStats) {
  f(1, m.step_id);
  f(2, m.step_stats);
}
MR_FIELDS(LoggingReply) { f(1, m.steps); }
MR_FIELDS(TraceOptions) {
  f(1, m.duration_seconds);
  f(2, m.use_step_profiler);
  f(3, m.use_kernel_profiler);
  f(4, m.use_extended_profiler);
  f(5, m.use_gpu_profiler);
  f(6, m.use_sample_profiler);
}
MR_FIELDS(TracingRequest) { f(1, m.options); }
MR_FIELDS(TracingReply) {}
MR_FIELDS(RecvBufRequest) {
  f(1, m.step_id);
  f(2, m.buf_rendezvous_key);
  f(3, m.num_bytes);
  f(4, m.buf_ptr, internal::Fixed64{});
  f(5, m.client_locality);
  f(6, m.server_locality);
  f(7, m.transport_options);
  f(8, m.src_device);
  f(9, m.dst_device);
  f(10, m.request_id);
  f(11, m.src_incarnation);
}
MR_FIELDS(RecvBufReply) {
  f(1, m.buf_ptr, internal::Fixed64{});
  f(2, m.num_bytes);
  f(3, m.is_dead);
  f(4, m.content, internal::ContentInAny{});
  f(5, m.send_start_micros);
  f(6, m.require_ack);
}
MR_FIELDS(CompleteGroupRequest) {
  f(1, m.group_key);
  f(2, m.group_size);
  f(3, m.device_type);
  f(5, m.collective_type);
  f(6, m.device_attributes);
}
MR_FIELDS(CompleteGroupReply) {
  f(1, m.group_key);
  f(2, m.group_size);
  f(3, m.device_type);
  f(4, m.num_tasks);
  f(7, m.communicator_key);
  f(8, m.device_attributes);
}
MR_FIELDS(CompleteInstanceRequest) {
  f(1, m.name);
  f(2, m.type);
  f(3, m.data_type);
  f(4, m.shape);
  f(5, m.group_key);
  f(6, m.group_size);
  f(7, m.instance_key);
  f(8, m.device_type);
  f(9, m.subdiv_offset);
  f(10, m.device);
  f(11, m.is_source);
  f(12, m.step_id);
}
MR_FIELDS(CompleteInstanceReply) {
  f(1, m.instance_key);
  f(2, m.source_rank);
}
MR_FIELDS(GetStepSequenceRequest) { f(1, m.graph_keys); }
MR_FIELDS(StepSequence) {
  f(1, m.graph_key);
  f(2, m.next_step_id);
}
MR_FIELDS(GetStepSequenceReply) { f(1, m.step_sequences); }

}  // namespace millrace
