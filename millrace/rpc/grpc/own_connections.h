// AcceptedConnections: the connections that a listener has accepted, as the
// kernel knows them. gRPC has no way to end one whose peer does not read what
// is being written to it (cancelled calls and closed channels wait for the
// write).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace millrace {

// Finds connections among the sockets of this process; the kernel does not say
// which end opened one. A listener's connections are those at an address on
// which it listens, except those that existed before it: these belong to a
// client that happens to have that address, which no client can get while the
// listener is there. Not thread-safe.
class AcceptedConnections {
 public:
  // Requires: the listener has not started yet.
  AcceptedConnections();
  // Sets where the listener listens: `host` is an address, maybe in brackets,
  // or a name (then the addresses are those on which the process listens at
  // `port` and did not before). 0.0.0.0 and :: are all addresses. An empty
  // `unix_socket`: none.
  void ListenAt(const std::string& host, int port,
                const std::string& unix_socket);

  // Ends the connections accepted so far: writes and reads in progress fail at
  // once.
  void End() const;

 private:
  // IPv6, or IPv4 mapped into it.
  using Host = std::array<uint8_t, 16>;
  struct Socket;

  static void ForEach(absl::FunctionRef<void(const Socket&)> visit);
  bool IsEarlier(const Socket& socket) const;
  bool IsAt(const Socket& socket) const;

  std::vector<uint64_t> earlier_;  // by inode
  std::vector<Host> hosts_;        // none: all
  int port_ = 0;
  std::string unix_socket_;
};

}  // namespace millrace
