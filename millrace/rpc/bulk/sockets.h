// Stream sockets of the bulk transport. Private to rpc/bulk.
#pragma once

#include <string>

#include "millrace/base/status.h"

namespace millrace {

// A listening TCP socket on `host` with a free port, which goes to `*port`.
StatusOr<int> ListenOnTcp(const std::string& host, int* port);
// On the unix socket of that abstract name.
StatusOr<int> ListenLocally(const std::string& name);

// A connection that blocks, with a limit to each send and receive. To be
// called where blocking is allowed.
StatusOr<int> ConnectToTcp(const std::string& host, int port,
                           int64_t timeout_ms);
StatusOr<int> ConnectLocally(const std::string& name, int64_t timeout_ms);

// Whole, on a socket that blocks.
Status SendAll(int fd, const char* data, size_t size);
Status ReceiveAll(int fd, char* data, size_t size);

// For the poller: no blocking any more, no delay of small frames, and an end
// within 20 s if the other machine is gone.
Status PrepareForPolling(int fd);

}  // namespace millrace
