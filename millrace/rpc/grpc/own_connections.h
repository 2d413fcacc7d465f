// Connections that a listener has accepted, as the kernel knows them: gRPC
// gives no way to end one whose peer does not read what is being written to it
// (cancelled calls and closed channels wait for the write).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace millrace {

// The sockets of this process are gone through, and the kernel does not say who
// began a connection. A listener's are those at an address at which it listens,
// but for those that were there before it: they are of a client that happens to
// have that address, which nobody can get while somebody listens there. One
// thread at a time.
class AcceptedConnections {
 public:
  // Before the listener begins.
  AcceptedConnections();
  // Where it has begun to listen: `host` is an address, maybe in brackets, or a
  // name (then it is where the process listens at `port` and did not before).
  // 0.0.0.0 and :: are all addresses. An empty `unix_socket`: none.
  void ListenAt(const std::string& host, int port,
                const std::string& unix_socket);

  // Ends those accepted so far: writes and reads in progress fail at once.
  void End() const;

 private:
  // IPv6, or IPv4 as it is mapped there.
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
