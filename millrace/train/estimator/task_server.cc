#include "millrace/train/estimator/task_server.h"

#include <utility>

#include "millrace/base/log.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/gradients/differentiate_function.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace::train {

StatusOr<std::unique_ptr<Server>> StartTaskServer(const RunConfig& config,
                                                  const ServerOptions& base) {
  const ClusterEnvironment& place = config.place;
  if (place.cluster.Tasks().size() < 2 && place.task.job != kPsJob)
    return std::unique_ptr<Server>();
  ServerOptions options = base;
  options.cluster = place.cluster;
  options.task = place.task;
  if (!options.transport) options.transport = config.session.transport;
  if (!options.transport) {
    options.transport = MakeBulkTransport(MakeGrpcTransport());
  }
  if (!options.ops) options.ops = &DefaultOps();
  if (!options.kernels) options.kernels = &DefaultKernels();
  if (!options.differentiate) options.differentiate = DifferentiateFunction;
  if (!options.files) options.files = config.files;
  MR_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options));
  MR_LOG(Info) << "the server of " << place.task.ToString() << " listens at "
               << server->target();
  return server;
}

}  // namespace millrace::train
