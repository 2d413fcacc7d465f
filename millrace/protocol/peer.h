// The services that only Millrace's own servers have: Peer and Admin.
// On the wire: proto/service/millrace_messages.proto.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/base/done.h"
#include "millrace/protocol/call_context.h"

namespace millrace {

// Version of what Hello agrees on.
inline constexpr int32_t kPeerProtocolVersion = 1;

// `nonce_size` random bytes at an address of a process, which another process
// of the same machine reads to show that it can.
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
};

// Thread-safe; lifetimes as for MasterApi.
class PeerApi {
 public:
  virtual ~PeerApi() = default;
  // Once for each incarnation of a peer.
  virtual void Hello(CallContext& context, const HelloRequest& request,
                     HelloReply* reply, Done done) = 0;
};

class AdminApi {
 public:
  virtual ~AdminApi() = default;
  // Answered when the stop has begun.
  virtual void Stop(CallContext& context, const StopRequest& request,
                    StopReply* reply, Done done) = 0;
  // "Status" on the wire.
  virtual void ServerStatus(CallContext& context,
                            const ServerStatusRequest& request,
                            ServerStatusReply* reply, Done done) = 0;
};

#define MR_PEER_METHODS(X) X(Hello)
#define MR_ADMIN_METHODS(X) X(Stop) X(ServerStatus)

}  // namespace millrace
