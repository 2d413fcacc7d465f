// The options of a session: the client's, with the server's as defaults.
#pragma once

#include "millrace/protocol/config.h"

namespace millrace {

// What the client left out is taken from `defaults`, where the field is the
// session's. Logs once for each field of `client` that has no effect on a
// server.
ConfigOptions SessionConfig(const ConfigOptions& client,
                            const ConfigOptions& defaults);

}  // namespace millrace
