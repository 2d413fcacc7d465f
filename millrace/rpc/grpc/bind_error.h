// Why a listener could not start; gRPC keeps that to itself.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

// Tries the same and says what the system answers: "address already in use".
// `host` may be in brackets; an empty `unix_socket` is not tried.
std::string BindError(absl::string_view host, int port,
                      absl::string_view unix_socket);

}  // namespace millrace
