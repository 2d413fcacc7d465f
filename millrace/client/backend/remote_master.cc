#include "millrace/client/backend/remote_master.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "millrace/base/random.h"
#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace {
namespace {

constinit Mutex transport_mu;

// Returns the one transport of all sessions of the process, never destroyed.
std::shared_ptr<Transport> DefaultTransport() {
  static constinit std::shared_ptr<Transport>* transport = nullptr;
  MutexLock lock(transport_mu);
  if (!transport)
    transport = new std::shared_ptr<Transport>(MakeGrpcTransport());
  return *transport;
}

// Returns INVALID_ARGUMENT for an address without a port: nobody could listen
// there, so that waiting for it would be in vain.
Status CheckAddress(absl::string_view address) {
  if (absl::StartsWith(address, "unix:")) return OkStatus();
  const size_t colon = address.rfind(':');
  uint32_t port = 0;
  if (colon != absl::string_view::npos &&
      absl::SimpleAtoi(address.substr(colon + 1), &port) &&
      !absl::StrContains(address.substr(0, colon), '/')) {
    return OkStatus();
  }
  return InvalidArgument("Could not interpret \"", address,
                         "\" as a host-port pair. A session's target is "
                         "\"grpc://host:port\"");
}

}  // namespace

StatusOr<std::shared_ptr<RemoteMaster>> RemoteMaster::Connect(
    const SessionOptions& options, std::shared_ptr<CancelScope> closing) {
  absl::string_view address = options.target;
  if (!absl::ConsumePrefix(&address, "grpc://") || address.empty()) {
    return InvalidArgument(
        "a session's target is \"\" or \"grpc://host:port\", not \"",
        options.target, "\"");
  }
  MR_RETURN_IF_ERROR(CheckAddress(address));
  auto transport = options.transport ? options.transport : DefaultTransport();
  return std::make_shared<RemoteMaster>(
      std::move(transport), std::string(address),
      options.config.operation_timeout_ms, std::move(closing));
}

RemoteMaster::RemoteMaster(std::shared_ptr<Transport> transport,
                           std::string address, int64_t timeout_ms,
                           std::shared_ptr<CancelScope> closing)
    : transport_(std::move(transport)),
      address_(std::move(address)),
      timeout_ms_(timeout_ms),
      closing_(std::move(closing)),
      caller_(transport_->Connect(address_)),
      master_(MakeMasterStub(caller_.get())),
      watch_(address_, caller_) {}

Deadline RemoteMaster::RetryTime(int attempt) {
  const int64_t delay = RetryDelayMillis(attempt);
  return Deadline::AfterMillis(
      delay + static_cast<int64_t>(RandomUint64() % (delay / 2 + 1)));
}

// A server reports UNAVAILABLE only of other tasks, in the body of its reply.
Status RemoteMaster::WithServer(const Status& status) const {
  if (!absl::IsUnavailable(status)) return status;
  return Prefix(absl::StrCat("Unavailable: ", watch_.who(), ": "), status);
}

Status RemoteMaster::WaitUntil(Deadline deadline, CancelScope& scope,
                               absl::string_view why) const {
  WaitScope wait(absl::StrCat("server at ", address_, " ", why));
  Notification cancelled;
  const CancelScope::Registration registration =
      scope.Register([&] { cancelled.Notify(); });
  if (!registration.ok()) return registration.status;
  cancelled.WaitUntil(deadline);
  scope.Unregister(registration.token);
  return scope.status();
}

}  // namespace millrace
