// Finds out why a listener could not start, which gRPC does not report.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

// Tries to bind the same addresses and returns the system's error: "address
// already in use". `host` may be in brackets; an empty `unix_socket` is not
// tried.
std::string BindError(absl::string_view host, int port,
                      absl::string_view unix_socket);

}  // namespace millrace
