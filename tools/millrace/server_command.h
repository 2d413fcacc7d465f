// `millrace server`: runs one task of a cluster, until it is told to stop.
#pragma once

#include "tools/millrace/config_file.h"
#include "tools/millrace/server_flags.h"

namespace millrace {

// Runs until SIGTERM, SIGINT or `millrace stop`. Returns the exit code: 0 after
// a stop, 1 if the server could not start, 2 for invalid flags; an error is one
// line on stderr. Blocks the signals for the whole process.
int RunServer(const ServerFlags& flags, const ConfigFile& config);

}  // namespace millrace
