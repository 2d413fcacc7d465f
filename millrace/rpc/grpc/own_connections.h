// Connections that this process has accepted, as the kernel knows them: gRPC
// gives no way to end one whose peer does not read what is being written to it
// (cancelled calls and closed channels wait for the write).
#pragma once

#include <string>

namespace millrace {

// Ends the connections accepted at `port` (0: none), of any local address, and
// at the socket of this path (empty: none): writes and reads in progress fail
// at once.
void EndAcceptedConnections(int port, const std::string& unix_socket);

}  // namespace millrace
