// Transport: how calls reach a server. loopback/ connects servers of one
// process, grpc/ is the wire, fault/ wraps any of them and loses, duplicates
// and delays calls.
//
// A call is a method of protocol/method.h, request bytes, reply bytes and a
// CallContext (deadline, cancellation). protocol/ defines what the bytes mean;
// cluster/ detects failures and decides on retries.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/clock.h"
#include "millrace/protocol/caller.h"

namespace millrace {

struct ListenOptions {
  // "host" to bind to; port 0 picks a free one.
  std::string host = "127.0.0.1";
  int port = 0;
  // Path of a unix socket to listen on in addition; empty: none.
  std::string unix_socket;
};

// A server's listening endpoint. Thread-safe.
class Listener {
 public:
  // Stops listening and cancels the calls that are still open (see Shutdown).
  virtual ~Listener() = default;
  // Returns the address on which it listens: "host:port" with the real port.
  virtual const std::string& address() const = 0;
  virtual int port() const = 0;
  // Accepts no new calls from now on. Calls in flight may end until `deadline`;
  // then their contexts are cancelled, and they are answered. Blocks until all
  // are answered. Requires: not on a control lane, which the answers need.
  virtual void Shutdown(Deadline deadline) = 0;
  // Ends as if the process had died: open calls fail at their callers with
  // UNAVAILABLE "... connection reset", their contexts are cancelled here, and
  // replies that handlers still give are dropped. Does not wait for the
  // handlers; the destructor does.
  virtual void Kill() = 0;
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // Returns a Caller for the peer at `address` ("host:port"). It connects at
  // the first call, and reconnects whenever the connection is lost; without a
  // connection a call fails with UNAVAILABLE that names the address, as soon as
  // that is known and not at its deadline. Callers of one address share a
  // connection. Done runs where handlers do (see Listen), never within the
  // call.
  virtual std::shared_ptr<Caller> Connect(const std::string& address) = 0;

  // Serves `services`, which must outlive the listener. Calls are decoded and
  // run on the process's control lane, except short ones (short_call.h), which
  // a transport may run on its own threads, where they arrive. So handlers must
  // not block, and a handler that is about to compute for long first has
  // another thread take over (base/threads/event_threads.h) or leaves the work
  // to the inter-op pool. Returns UNAVAILABLE "... address already in use" if
  // the port is taken.
  virtual StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) = 0;
};

}  // namespace millrace
