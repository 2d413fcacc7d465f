// The server of this task of an estimator's cluster. Private to estimator/.
#pragma once

#include <memory>

#include "millrace/cluster/server.h"
#include "millrace/train/estimator/run_config.h"

namespace millrace::train {

// Starts the server that a configuration describes. Of `base` everything is
// used but cluster and task; what it leaves open are the ops and kernels of
// this program, and gRPC with the protocol of Millrace's servers. Returns null
// where the cluster is one task, which needs none; errors are Server::Start's.
StatusOr<std::unique_ptr<Server>> StartTaskServer(const RunConfig& config,
                                                  const ServerOptions& base);

}  // namespace millrace::train
