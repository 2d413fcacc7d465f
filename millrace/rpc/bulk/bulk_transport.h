// The protocol that our servers speak among themselves: frames (frame.h) over a
// TCP connection, or over a unix socket on one machine, in place of gRPC, which
// costs a small call about 100 us at both ends and copies tensors.
#pragma once

#include <memory>

#include "millrace/rpc/transport.h"

namespace millrace {

struct BulkOptions {
  // Whether a caller's first calls wait until it is known that the other end
  // speaks bulk. Otherwise they go through `inner` meanwhile.
  bool first_calls_wait = false;
  // Shortest time between a failure and the next Hello.
  int64_t retry_ms = 1'000;
  // The same after the other end has answered that it does not implement Hello
  // (a stock server).
  int64_t unsupported_retry_ms = 60'000;
  // A connection that is silent for this long in the middle of a frame is
  // closed.
  int64_t stall_ms = 60'000;
};

// Wraps `inner`, which finds and names servers. A listener listens on `inner`
// as well, and answers millrace.Peer/Hello there with its bulk port, the name
// of an abstract unix socket, and a token (bulk_tokens.h), without which it
// closes a bulk connection. A caller sends Hello alongside its first calls.
// Calls of the worker's service then travel by bulk; all other calls, calls to
// servers that do not answer Hello, and calls while there is no bulk connection
// go through `inner`, with its errors.
//
// A broken connection fails its calls with UNAVAILABLE "connection reset". A
// connection on which three calls in a row ran into their deadlines, while
// nothing else moved on it, is closed.
// Statuses, deadlines, cancellation and payload sizes are as in transport.h.
std::shared_ptr<Transport> MakeBulkTransport(std::shared_ptr<Transport> inner,
                                             const BulkOptions& options = {});

}  // namespace millrace
