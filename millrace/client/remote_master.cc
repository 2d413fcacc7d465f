#include "millrace/client/remote_master.h"

#include "absl/strings/strip.h"
#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace {
namespace {

constinit Mutex transport_mu;

// One for all sessions of the process, never destroyed.
std::shared_ptr<Transport> DefaultTransport() {
  static constinit std::shared_ptr<Transport>* transport = nullptr;
  MutexLock lock(transport_mu);
  if (!transport)
    transport = new std::shared_ptr<Transport>(MakeGrpcTransport());
  return *transport;
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

Status RemoteMaster::WaitUntil(Deadline deadline) {
  WaitScope wait(absl::StrCat("server at ", address_, " to come up"));
  Notification closed;
  const CancelScope::Registration closing =
      closing_->Register([&] { closed.Notify(); });
  if (!closing.ok()) return closing.status;
  closed.WaitUntil(deadline);
  closing_->Unregister(closing.token);
  return closing_->status();
}

}  // namespace millrace
