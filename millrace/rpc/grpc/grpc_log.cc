#include "millrace/rpc/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include "millrace/base/log.h"

namespace millrace {
namespace {

constinit thread_local int quiet = 0;

void LogLine(gpr_log_func_args* args) {
  if (quiet == 0 && args->severity == GPR_LOG_SEVERITY_ERROR) {
    MR_LOG(Info) << "gRPC: " << args->message;
  }
}

}  // namespace

void RouteGrpcLog() { gpr_set_log_function(LogLine); }

QuietGrpcLog::QuietGrpcLog() { ++quiet; }
QuietGrpcLog::~QuietGrpcLog() { --quiet; }

}  // namespace millrace
