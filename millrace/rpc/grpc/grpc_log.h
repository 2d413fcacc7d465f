// Routes gRPC's own log lines.
#pragma once

namespace millrace {

// Adds gRPC's log lines about errors to our log from now on, and drops its
// others. An error of gRPC's also reaches us as a status, with fewer words, so
// the lines are logged as information.
void RouteGrpcLog();

}  // namespace millrace
