// Stream sockets of the bulk transport. Private to rpc/bulk.
#pragma once

#include <string>

#include "millrace/base/status.h"

namespace millrace {

// A connection ends when the other machine has confirmed nothing for so long.
inline constexpr int kUserTimeoutMs = 20'000;

// Returns a socket that listens on the abstract unix socket of that name.
StatusOr<int> ListenLocally(const std::string& name);

// Returns a connected blocking socket, with a timeout for each send and
// receive. Requires: the thread may block.
StatusOr<int> ConnectToTcp(const std::string& host, int port,
                           int64_t timeout_ms);
StatusOr<int> ConnectLocally(const std::string& name, int64_t timeout_ms);

// Sends or receives all `size` bytes. Requires: a blocking socket.
Status SendAll(int fd, const char* data, size_t size);
Status ReceiveAll(int fd, char* data, size_t size);

// Prepares a socket for the poller: makes it non-blocking, sends small frames
// without delay, and ends the connection within 20 s if the other machine is
// gone.
Status PrepareForPolling(int fd);

}  // namespace millrace
