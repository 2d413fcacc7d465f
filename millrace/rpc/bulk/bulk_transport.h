// What our servers speak among themselves: frames (frame.h) over a TCP
// connection, or a unix socket on one machine, in place of gRPC, which costs a
// small call about 100 us of both ends' time and copies tensors.
#pragma once

#include <memory>

#include "millrace/rpc/transport.h"

namespace millrace {

struct BulkOptions {
  // A caller's first calls wait until it is known whether the other end speaks
  // bulk. Else they go through `inner` meanwhile.
  bool first_calls_wait = false;
  // After a failure the other end is asked again, at the earliest.
  int64_t retry_ms = 1'000;
  // After it has said that it knows no Hello (a stock server).
  int64_t unsupported_retry_ms = 60'000;
  // A connection that is silent for so long in the middle of a frame ends.
  int64_t stall_ms = 60'000;
};

// Wraps `inner`, which finds and names servers: a listener listens on `inner`
// as well, and answers millrace.Peer/Hello there with its bulk port, the name
// of an abstract unix socket, and a token (bulk_tokens.h), without which a bulk
// connection is closed. A caller asks for them beside its first calls.
// Calls of the worker's service then travel by bulk; all others, calls to
// servers that do not answer Hello, and calls while there is no bulk
// connection go through `inner`, with its errors.
//
// A broken connection fails its calls with UNAVAILABLE "connection reset". One
// that has let three calls in a row run into their deadlines is given up.
// Statuses, deadlines, cancellation, payload sizes: as transport.h says.
std::shared_ptr<Transport> MakeBulkTransport(std::shared_ptr<Transport> inner,
                                             const BulkOptions& options = {});

}  // namespace millrace
