// A worker's requests and replies, and WorkerApi, the interface that answers
// them.
//
// Field numbers and the meaning of the fields: proto/service/worker.proto and
// protocol/worker_fields.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "millrace/protocol/cluster_def.h"
#include "millrace/protocol/master.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// A message whose type its URL names.
struct AnyMessage {
  std::string type_url;
  std::string value;
};

struct GetStatusRequest {};
struct GetStatusReply {
  std::vector<DeviceAttributes> device_attributes;
};

struct CreateWorkerSessionRequest {
  std::string session_handle;  // chosen by the master
  ServerDef server_def;
  bool isolate_session_state = false;
  std::vector<DeviceAttributes> cluster_device_attributes;
  std::string master_task;
  // A new incarnation ends the sessions that the previous incarnation of the
  // same master task created.
  int64_t master_incarnation = 0;
};
struct CreateWorkerSessionReply {};

struct DeleteWorkerSessionRequest {
  std::string session_handle;
};
struct DeleteWorkerSessionReply {};

struct RegisterGraphRequest {
  std::string session_handle;
  GraphDef graph_def;
  bool has_control_flow = false;
  GraphOptions graph_options;
  std::string debug_options;  // a serialized DebugOptions
  bool create_worker_session_called = false;
  int64_t collective_graph_key = 0;
  ConfigOptions config;
  // Chosen by our masters, a different number for each graph that they register
  // in a session. A duplicate request is therefore harmless: RegistrationHandle
  // is the handle of its graph. 0 from stock masters: each request registers a
  // new graph. Stock workers skip the field.
  int64_t registration = 0;
};
struct RegisterGraphReply {
  std::string graph_handle;
};
// Returns the handle that our workers give to the graph of a registration, so
// that a master can deregister a graph whose handle it has not received.
inline std::string RegistrationHandle(int64_t registration) {
  return absl::StrCat("r", registration);
}
// Returns the registration of a handle; 0 for other handles.
inline int64_t RegistrationOf(absl::string_view handle) {
  int64_t registration = 0;
  return absl::ConsumePrefix(&handle, "r") &&
                 absl::SimpleAtoi(handle, &registration)
             ? registration
             : 0;
}

struct DeregisterGraphRequest {
  std::string graph_handle;
  std::string session_handle;
  bool create_worker_session_called = false;
};
struct DeregisterGraphReply {};

struct ExecutorOptions {
  bool record_costs = false;
  bool record_timeline = false;
  bool record_partition_graphs = false;
  bool report_tensor_allocations_upon_oom = false;
};

struct RunGraphRequest {
  std::string graph_handle;
  int64_t step_id = 0;
  std::vector<NamedTensor> send;      // put into the step's rendezvous
  std::vector<std::string> recv_key;  // answered from it
  ExecutorOptions exec_options;
  bool is_partial = false;
  bool is_last_partial_run = false;
  std::string session_handle;
  bool store_errors_in_response_body = false;
  bool create_worker_session_called = false;
  int64_t request_id = 0;
  // The traces that the step belongs to (cluster/trace/tracer.h). Stock workers
  // skip the field.
  std::vector<uint64_t> trace_ids;
};
struct RunGraphReply {
  std::vector<NamedTensor> recv;
  StepStats step_stats;
  CostGraph cost_graph;
  std::vector<GraphDef> partition_graphs;
  Status status;  // with its derived mark, which only our own servers read
};

struct CleanupGraphRequest {
  int64_t step_id = 0;
};
struct CleanupGraphReply {};

struct CleanupAllRequest {
  std::vector<std::string> containers;  // none: the default container
};
struct CleanupAllReply {};

struct RecvTensorRequest {
  int64_t step_id = 0;
  std::string rendezvous_key;
  bool dma_ok = false;
  DeviceLocality client_locality;
  DeviceLocality server_locality;
  AnyMessage transport_options;
  int64_t request_id = 0;
};
struct RecvTensorReply {
  Tensor tensor;  // a dead one still has a type and a shape
  bool is_dead = false;
  int64_t send_start_micros = 0;
  AnyMessage transport_options;
  bool require_ack = false;
};

struct MarkRecvFinishedRequest {
  int64_t request_id = 0;
};
struct MarkRecvFinishedReply {};

struct LoggingRequest {
  bool enable_rpc_logging = false;
  bool clear = false;
  std::vector<int64_t> fetch_step_id;
  bool disable_rpc_logging = false;
};
struct LabeledStepStats {
  int64_t step_id = 0;
  StepStats step_stats;
};
struct LoggingReply {
  std::vector<LabeledStepStats> steps;
};

struct TraceOptions {
  double duration_seconds = 0;
  bool use_step_profiler = false;
  bool use_kernel_profiler = false;
  bool use_extended_profiler = false;
  bool use_gpu_profiler = false;
  bool use_sample_profiler = false;
};
struct TracingRequest {
  TraceOptions options;
};
struct TracingReply {};

struct RecvBufRequest {
  int64_t step_id = 0;
  std::string buf_rendezvous_key;
  int64_t num_bytes = 0;
  uint64_t buf_ptr = 0;  // in the receiver; meaningless over the network
  DeviceLocality client_locality;
  DeviceLocality server_locality;
  AnyMessage transport_options;
  std::string src_device;
  std::string dst_device;
  int64_t request_id = 0;
  uint64_t src_incarnation = 0;
};
struct RecvBufReply {
  uint64_t buf_ptr = 0;
  int64_t num_bytes = 0;
  bool is_dead = false;
  ByteChunks content;  // inside transport_options on the wire
  int64_t send_start_micros = 0;
  bool require_ack = false;
};

struct CompleteGroupRequest {
  int32_t group_key = 0;
  int32_t group_size = 0;
  std::string device_type;
  int32_t collective_type = 0;
  DeviceAttributes device_attributes;  // of the member
};
struct CompleteGroupReply {
  int32_t group_key = 0;
  int32_t group_size = 0;
  std::string device_type;
  int32_t num_tasks = 0;
  std::string communicator_key;
  std::vector<DeviceAttributes> device_attributes;  // of all, in rank order
};

struct CompleteInstanceRequest {
  std::string name;
  int32_t type = 0;
  DataType data_type = DataType::kInvalid;
  PartialShape shape = PartialShape({});
  int32_t group_key = 0;
  int32_t group_size = 0;
  int32_t instance_key = 0;
  std::string device_type;
  std::vector<int32_t> subdiv_offset;
  std::string device;
  bool is_source = false;
  int64_t step_id = 0;
};
struct CompleteInstanceReply {
  int32_t instance_key = 0;
  int32_t source_rank = 0;  // -1: none
};

struct GetStepSequenceRequest {
  std::vector<int64_t> graph_keys;
};
struct StepSequence {
  int64_t graph_key = 0;
  int64_t next_step_id = 0;
};
struct GetStepSequenceReply {
  std::vector<StepSequence> step_sequences;
};

// The service of a worker. Thread-safe; lifetimes as for MasterApi. RecvTensor,
// RunGraph, RecvBuf, CompleteGroup and CompleteInstance may be in flight for
// long; all others end soon. A cancelled call is answered, never dropped.
class WorkerApi {
 public:
  virtual ~WorkerApi() = default;

  virtual void GetStatus(CallContext& context, const GetStatusRequest& request,
                         GetStatusReply* reply, Done done) = 0;
  virtual void CreateWorkerSession(CallContext& context,
                                   const CreateWorkerSessionRequest& request,
                                   CreateWorkerSessionReply* reply,
                                   Done done) = 0;
  virtual void DeleteWorkerSession(CallContext& context,
                                   const DeleteWorkerSessionRequest& request,
                                   DeleteWorkerSessionReply* reply,
                                   Done done) = 0;
  virtual void RegisterGraph(CallContext& context,
                             const RegisterGraphRequest& request,
                             RegisterGraphReply* reply, Done done) = 0;
  virtual void DeregisterGraph(CallContext& context,
                               const DeregisterGraphRequest& request,
                               DeregisterGraphReply* reply, Done done) = 0;
  virtual void RunGraph(CallContext& context, const RunGraphRequest& request,
                        RunGraphReply* reply, Done done) = 0;
  virtual void CleanupGraph(CallContext& context,
                            const CleanupGraphRequest& request,
                            CleanupGraphReply* reply, Done done) = 0;
  virtual void CleanupAll(CallContext& context,
                          const CleanupAllRequest& request,
                          CleanupAllReply* reply, Done done) = 0;
  virtual void RecvTensor(CallContext& context,
                          const RecvTensorRequest& request,
                          RecvTensorReply* reply, Done done) = 0;
  virtual void RecvBuf(CallContext& context, const RecvBufRequest& request,
                       RecvBufReply* reply, Done done) = 0;
  virtual void Logging(CallContext& context, const LoggingRequest& request,
                       LoggingReply* reply, Done done) = 0;
  virtual void Tracing(CallContext& context, const TracingRequest& request,
                       TracingReply* reply, Done done) = 0;
  virtual void CompleteGroup(CallContext& context,
                             const CompleteGroupRequest& request,
                             CompleteGroupReply* reply, Done done) = 0;
  virtual void CompleteInstance(CallContext& context,
                                const CompleteInstanceRequest& request,
                                CompleteInstanceReply* reply, Done done) = 0;
  virtual void GetStepSequence(CallContext& context,
                               const GetStepSequenceRequest& request,
                               GetStepSequenceReply* reply, Done done) = 0;
  virtual void MarkRecvFinished(CallContext& context,
                                const MarkRecvFinishedRequest& request,
                                MarkRecvFinishedReply* reply, Done done) = 0;
};

// Expands to X(Name) for each method. Without this, clang-format does not
// converge on the list:
// clang-format off
#define MR_WORKER_METHODS(X)                          \
  X(GetStatus) X(CreateWorkerSession)                 \
  X(DeleteWorkerSession) X(RegisterGraph)             \
  X(DeregisterGraph) X(RunGraph) X(CleanupGraph)      \
  X(CleanupAll) X(RecvTensor) X(RecvBuf) X(Logging)   \
  X(Tracing) X(CompleteGroup) X(CompleteInstance)     \
  X(GetStepSequence) X(MarkRecvFinished)
// clang-format on

}  // namespace millrace
