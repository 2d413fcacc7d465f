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
  // A listener asks a silent client whether it is there; after the timeout its
  // calls are cancelled. A client asks nobody, since stock servers take that
  // for an attack; failure detection is the cluster's.
  int keepalive_ms = 60'000;
  int keepalive_timeout_ms = 60'000;
  // A peer that was lost is tried again after this, growing to `max`.
  int initial_backoff_ms = 100;
  int max_backoff_ms = 1'000;
  // How long a call waits for an attempt at once when the last one failed: the
  // peer may have come back since.
  int reconnect_wait_ms = 300;
  // What a connection attempt may take.
  int connect_timeout_ms = 5'000;
};

// What both ends offer to receive: a frame, and ahead of the reader. With the
// defaults of HTTP/2 (16 KB frames) tensors travel at two thirds of the speed.
inline constexpr int kMaxFrameBytes = 4 << 20;
inline constexpr int kLookaheadBytes = 4 << 20;

// Listeners also answer grpc.health.v1.Health (Check and Watch: every service
// they offer is SERVING, until they shut down) and server reflection. Messages
// have no limit but the memory budget. A path of any service that is not there
// is UNIMPLEMENTED. Addresses: "host:port", "unix:PATH".
//
// One thread serves all calls that go out from this process. Both directions
// hand over to the control lane, but for short calls (short_call.h), whose
// handlers and Dones run where they arrive.
std::shared_ptr<Transport> MakeGrpcTransport(const GrpcOptions& options = {});

}  // namespace millrace
