#include "millrace/rpc/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include "millrace/base/log.h"

namespace millrace {
namespace {

void LogLine(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    MR_LOG(Info) << "gRPC: " << args->message;
  }
}

}  // namespace

void RouteGrpcLog() { gpr_set_log_function(LogLine); }

}  // namespace millrace
