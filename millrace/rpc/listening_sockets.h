// Sockets on which servers listen.
#pragma once

#include <string>
#include <vector>

#include "millrace/base/status.h"

namespace millrace {

// Returns sockets that listen at all addresses of `host` (a name, an address,
// an IPv6 address also in brackets) on one port, and sets `*port`, if it is 0,
// to one that is free on all of them. "", 0.0.0.0 and :: are all addresses of
// the machine, of both kinds. They do not block; their connections send small
// messages at once, and end `user_timeout_ms` after the other machine stopped
// to confirm what it gets. The caller closes them. Returns UNAVAILABLE, with
// the system's reason, if one address is taken or none can be had.
StatusOr<std::vector<int>> ListenAt(const std::string& host,
                                    int user_timeout_ms, int* port);

// Returns a socket that listens at a path, in the place of a socket that
// another process has left there.
StatusOr<int> ListenAtPath(const std::string& path);

}  // namespace millrace
