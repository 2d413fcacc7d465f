// Addresses of servers: "host:port".
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

struct HostPort {
  std::string host;  // an IPv6 address without its brackets
  int port = 0;

  // Parses "host:port" and "[::1]:port". Returns INVALID_ARGUMENT for a missing
  // host or port, and for ports above 65535.
  static StatusOr<HostPort> Parse(absl::string_view address);
  std::string ToString() const;
};

// Returns whether only this machine reaches such a host: localhost, 127.x.x.x,
// ::1.
bool IsLoopback(absl::string_view host);
// Returns whether the host stands for all of the machine's addresses: 0.0.0.0,
// ::, *, "".
bool IsAnyHost(absl::string_view host);

}  // namespace millrace
