// The services that only Millrace's own servers have: Peer and Admin. Their
// messages: proto/service/millrace_messages.proto.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/protocol/call_context.h"

namespace millrace {

// The version of the protocol that Hello agrees on.
inline constexpr int32_t kPeerProtocolVersion = 1;

// A proof that two processes run on the same machine: `nonce_size` random bytes
// at an address of one process, which the other process reads.
struct MemoryProof {
  std::string machine_id;  // machine and process namespace
  int64_t process_id = 0;
  uint64_t nonce_address = 0;
  int32_t nonce_size = 0;
};

struct HelloRequest {
  std::string task;
  uint64_t incarnation = 0;
  int32_t protocol_version = 0;  // kPeerProtocolVersion
  std::vector<std::string> features;
  MemoryProof memory;
};
struct HelloReply {
  std::string task;
  uint64_t incarnation = 0;
  int32_t protocol_version = 0;  // kPeerProtocolVersion
  std::vector<std::string> features;
  MemoryProof memory;
  std::string caller_nonce;   // read from the caller's memory
  std::string bulk_address;   // host:port
  std::string bulk_token;     // opens one bulk connection
  std::string local_address;  // unix socket
};

struct StopRequest {
  int64_t grace_ms = 0;
  std::string reason;
};
struct StopReply {};

struct ServerStatusRequest {
  int32_t max_waits = 0;  // 0: 20
};
struct ServerWait {
  std::string kind;
  std::string text;
  int64_t waiting_ms = 0;
  int64_t step_id = 0;
};
struct ServerDevice {
  std::string name;
  std::string description;  // what stock's attributes say of a GPU, or nothing
  int64_t memory_used_bytes = 0;
  int64_t memory_peak_bytes = 0;
  int64_t memory_limit_bytes = 0;
};
struct ServerStatusReply {
  std::string task;
  uint64_t incarnation = 0;
  std::string version;
  int64_t uptime_ms = 0;
  int64_t master_sessions = 0;
  int64_t worker_sessions = 0;
  int64_t registered_graphs = 0;
  int64_t running_steps = 0;
  int64_t rendezvous_entries = 0;
  int64_t queues = 0;
  int64_t variables = 0;
  int64_t variable_bytes = 0;
  int64_t memory_used_bytes = 0;
  int64_t memory_peak_bytes = 0;
  int64_t memory_limit_bytes = 0;
  int64_t steps_done = 0;
  int64_t steps_failed = 0;
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
  int64_t threads = 0;
  std::vector<ServerWait> waits;
  int64_t prepared_runs = 0;  // kinds of runs, of the sessions as master
  int64_t plans = 0;          // compiled graphs, of the sessions as worker
  int64_t kernels = 0;
  std::vector<ServerDevice> devices;
};

// ---- Traces (docs/design/0014-traces.md). Times are nanoseconds of the
// answering task's clock; those of `relay` are of the clock of the server that
// received the call and relayed it (the task's own if it was not relayed).
struct RelayTimes {
  int64_t sent_nanos = 0;
  int64_t received_nanos = 0;
};

struct TraceTask {
  std::string task;
  std::string address;
};

// Creates the trace, or changes the number of steps that it takes.
struct StartTraceRequest {
  std::string task;      // the task to trace; empty: the receiver
  bool relayed = false;  // must not be relayed again
  uint64_t trace_id = 0;
  // The number of steps to take, of sessions with this task as master, counted
  // from now on. 0 only makes room for steps that other masters choose.
  int32_t steps = 0;
  int64_t max_events = 0;  // to keep; 0: kDefaultTraceEvents
};
struct StartTraceReply {
  std::string task;
  std::string version;
  std::string machine;  // equal where the clock is the same; empty: unknown
  int64_t now_nanos = 0;
  RelayTimes relay;
  std::vector<TraceTask> tasks;  // of the cluster
};

struct CollectTraceRequest {
  std::string task;
  bool relayed = false;
  uint64_t trace_id = 0;
  bool only_progress = false;  // neither nodes nor transfers
  bool end = false;            // forgets the trace afterwards
};
// A step of a session whose master is this task.
struct TracedStep {
  int64_t step_id = 0;
  std::string session;
  int64_t start_nanos = 0;
  int64_t end_nanos = 0;  // 0: it runs
  std::string error;      // empty: OK
  std::string waits_for;  // while it runs
};
// Texts are indices into `strings`.
struct TracedNode {
  int64_t step_id = 0;
  int32_t name = 0;
  int32_t op = 0;
  int32_t device = 0;
  int32_t outputs = 0;  // "float[2,3], int32[]"
  int64_t bytes = 0;    // of all outputs
  int64_t thread_id = 0;
  bool is_async = false;
  int64_t start_nanos = 0;
  int64_t duration_nanos = 0;
};
// One end of a transfer between two tasks; both ends have the same request id.
struct TracedTransfer {
  int64_t step_id = 0;
  int32_t key = 0;  // of the rendezvous
  int64_t request_id = 0;
  bool is_send = false;
  bool is_dead = false;
  int64_t bytes = 0;
  int64_t start_nanos = 0;
  int64_t duration_nanos = 0;
};
struct TracedThread {
  int64_t thread_id = 0;
  std::string name;
};
struct CollectTraceReply {
  int64_t now_nanos = 0;
  RelayTimes relay;
  std::vector<TracedStep> steps;
  std::vector<std::string> strings;
  std::vector<TracedNode> nodes;
  std::vector<TracedTransfer> transfers;
  std::vector<TracedThread> threads;
  int64_t dropped_events = 0;
};

inline constexpr int64_t kDefaultTraceEvents = 200'000;
inline constexpr int64_t kMaxTraceEvents = 2'000'000;
inline constexpr int32_t kMaxTraceSteps = 10'000;

// Thread-safe; lifetimes as for MasterApi.
class PeerApi {
 public:
  virtual ~PeerApi() = default;
  // Called once for each incarnation of a peer.
  virtual void Hello(CallContext& context, const HelloRequest& request,
                     HelloReply* reply, Done done) = 0;
};

class AdminApi {
 public:
  virtual ~AdminApi() = default;
  // Answered when the stop has begun.
  virtual void Stop(CallContext& context, const StopRequest& request,
                    StopReply* reply, Done done) = 0;
  // Named "Status" on the wire.
  virtual void ServerStatus(CallContext& context,
                            const ServerStatusRequest& request,
                            ServerStatusReply* reply, Done done) = 0;
  // Returns NOT_FOUND for a task that is not in the cluster, RESOURCE_EXHAUSTED
  // if there are too many traces, or the error of the relay. A trace that is
  // not used for a while is forgotten.
  virtual void StartTrace(CallContext& context,
                          const StartTraceRequest& request,
                          StartTraceReply* reply, Done done) = 0;
  // Returns NOT_FOUND for an unknown trace: the task was restarted.
  virtual void CollectTrace(CallContext& context,
                            const CollectTraceRequest& request,
                            CollectTraceReply* reply, Done done) = 0;
};

#define MR_PEER_METHODS(X) X(Hello)
#define MR_ADMIN_METHODS(X) \
  X(Stop) X(ServerStatus) X(StartTrace) X(CollectTrace)

}  // namespace millrace
