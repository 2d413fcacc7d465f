// The wire: gRPC over TCP (HTTP/2), as TensorFlow's clients and servers speak
// it, without TLS. gRPC's headers occur in this folder alone.
#pragma once

#include <memory>

#include "millrace/rpc/transport.h"

namespace millrace {

struct GrpcOptions {
  // Threads of a listener. One waits for gRPC's events; another takes over
  // while it runs the kernels of a step (event_threads.h).
  int server_threads = 2;
  // A listener pings a silent client; after the timeout it cancels the client's
  // calls. A client sends no pings, since stock servers take them for an
  // attack; the cluster does failure detection.
  int keepalive_ms = 60'000;
  int keepalive_timeout_ms = 60'000;
  // The most connections of a listener at once; more are closed as they come.
  // 0: as many as front_door.h says.
  int max_connections = 0;
  // Backoff before reconnecting to a lost peer, growing to `max`.
  int initial_backoff_ms = 100;
  int max_backoff_ms = 1'000;
  // How long a call waits for an immediate connection attempt if the last one
  // failed: the peer may be back.
  int reconnect_wait_ms = 300;
  // Timeout of a connection attempt.
  int connect_timeout_ms = 5'000;
};

// The sizes that both ends offer to receive: of a frame, and of the bytes ahead
// of the reader. With the defaults of HTTP/2 (16 KB frames) tensors travel at
// two thirds of the speed.
inline constexpr int kMaxFrameBytes = 4 << 20;
inline constexpr int kLookaheadBytes = 4 << 20;

// Returns the gRPC transport. Listeners also answer grpc.health.v1.Health
// (Check and Watch: every service they offer is SERVING, until they shut down)
// and server reflection. The only limit on messages is the memory budget. Any
// unknown path is UNIMPLEMENTED. Addresses: "host:port", "unix:PATH".
//
// One thread handles all outgoing calls of this process. Both directions hand
// over to the control lane, except for short calls (short_call.h), whose
// handlers and Dones run where they arrive.
std::shared_ptr<Transport> MakeGrpcTransport(const GrpcOptions& options = {});

}  // namespace millrace
