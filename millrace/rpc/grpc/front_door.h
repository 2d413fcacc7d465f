// FrontDoor: where a gRPC server listens, and whom it lets in.
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/wait.h"
#include "millrace/rpc/acceptor.h"

namespace millrace {

// gRPC's own listener takes any number of connections, and ends for ever when
// the process has no descriptors left. This one closes connections beyond a
// number at once, and waits for descriptors. Thread-safe, but for Open and
// Start, which are called once, in this order.
class FrontDoor {
 public:
  FrontDoor();
  ~FrontDoor();  // closes it
  FrontDoor(const FrontDoor&) = delete;
  FrontDoor& operator=(const FrontDoor&) = delete;

  // Listens at `host` and, if it is not empty, at a unix socket; see
  // listening_sockets.h. Connections wait until Start.
  Status Open(const std::string& host, int port, const std::string& unix_socket,
              int user_timeout_ms);
  int port() const { return port_; }

  // Hands connections over to a server that has started, `most` at once.
  Status Start(
      std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server,
      size_t most);
  // Stops listening. Afterwards no connection is handed over, nor is being
  // handed over. Requires: called before the server is shut down.
  void Close();
  // Ends the connections that are open: writes and reads in progress fail at
  // once. gRPC has no way to end one whose peer does not read what is being
  // written to it (cancelled calls and closed channels wait for the write).
  void EndConnections();

 private:
  class Guests;

  const Ref<Guests> guests_;
  int port_ = 0;
  Mutex mu_;  // guards all below
  std::vector<Ref<Acceptor>> acceptors_;
  std::string unix_socket_;
};

// Returns the most connections for a process that may open as many files as
// this one: 10,000, or three quarters of its descriptors if those are fewer.
size_t MostConnections();

}  // namespace millrace
