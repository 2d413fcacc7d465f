#include "millrace/rpc/call_status.h"

namespace millrace {

Status CannotConnect(absl::string_view address, absl::string_view reason) {
  return Unavailable("cannot connect to ", address, ": ", reason);
}

Status ConnectionReset(absl::string_view address, absl::string_view detail) {
  if (detail.empty())
    return Unavailable("lost ", address, ": connection reset");
  return Unavailable("lost ", address, ": connection reset (", detail, ")");
}

Status CallTimedOut(const Method& method, absl::string_view address) {
  return DeadlineExceeded("the deadline passed before ", method.name,
                          " was answered by ", address);
}

Status ShuttingDown(absl::string_view address) {
  return Unavailable("the server at ", address, " is shutting down");
}

Status ReplyStatus(const Method& method, const Status& status) {
  if (status.ok()) return status;
  return CutMessage(method.service == Service::kMaster ? StatusForClient(status)
                                                       : status);
}

}  // namespace millrace
