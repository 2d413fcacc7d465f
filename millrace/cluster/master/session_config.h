// SessionConfig: the options of a session: the client's, with the server's as
// defaults.
#pragma once

#include "millrace/protocol/config.h"

namespace millrace {

// Takes from `defaults` what the client left out, for fields that belong to the
// session. Logs once for each field of `client` that has no effect on a server.
ConfigOptions SessionConfig(const ConfigOptions& client,
                            const ConfigOptions& defaults);

}  // namespace millrace
