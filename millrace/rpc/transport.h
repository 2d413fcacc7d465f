// Transport: how calls reach a server. loopback/ joins servers of one process,
// grpc/ is the wire, fault/ wraps any of them and loses, doubles and delays.
//
// A call is a method of protocol/method.h, request bytes, reply bytes and a
// CallContext (deadline, cancellation). What the bytes mean is protocol/'s
// business; who is alive and what is sent again, the cluster's.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/clock.h"
#include "millrace/protocol/caller.h"

namespace millrace {

struct ListenOptions {
  // "host" to bind to; port 0 takes a free one.
  std::string host = "127.0.0.1";
  int port = 0;
  // Path of a unix socket to listen on as well; empty: none.
  std::string unix_socket;
};

// A server's open door. Thread-safe.
class Listener {
 public:
  // Stops listening and cancels the calls still open (see Shutdown).
  virtual ~Listener() = default;
  // Where it listens: "host:port" with the real port.
  virtual const std::string& address() const = 0;
  virtual int port() const = 0;
  // No new calls from now on. Calls in progress may end until `deadline`; then
  // their contexts are cancelled, and answered. Blocks until all are answered,
  // so never on a control lane, which the answers need.
  virtual void Shutdown(Deadline deadline) = 0;
  // As the end of the process would look: open calls break at their callers
  // with UNAVAILABLE "... connection reset", their contexts are cancelled here,
  // and what handlers still answer is dropped. Does not wait for them; the
  // destructor does.
  virtual void Kill() = 0;
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // The calls of a server to its peer at `address` ("host:port"). Connects at
  // the first call and again whenever the connection is lost; a call fails with
  // UNAVAILABLE that names the address if there is no connection, when that is
  // found out and not at its deadline. Callers of one address share a
  // connection. Done runs as handlers do (see Listen), never within the call.
  virtual std::shared_ptr<Caller> Connect(const std::string& address) = 0;

  // Serves `services` (which outlive the listener). Calls are decoded and run
  // on the process's control lane, but for short ones (short_call.h), which a
  // transport may run on its own threads, where they arrive: so no handler
  // blocks, and one that is about to compute for long has another thread take
  // over first (base/threads/event_threads.h) or leaves it to the inter-op
  // pool. UNAVAILABLE "... address already in use" for a taken port.
  virtual StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) = 0;
};

}  // namespace millrace
