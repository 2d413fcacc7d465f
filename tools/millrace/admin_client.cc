#include "tools/millrace/admin_client.h"

#include <utility>

#include "absl/strings/strip.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/address.h"
#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace {
namespace {

constexpr int64_t kDeadlineMs = 5'000;

template <class Request, class Reply>
Status CallAndWait(AdminApi& admin,
                   void (AdminApi::*method)(CallContext&, const Request&,
                                            Reply*, Done),
                   const Request& request, Reply* reply) {
  CallContext context;
  context.deadline = Deadline::AfterMillis(kDeadlineMs);
  Status status;
  Notification answered;
  (admin.*method)(context, request, reply, Done([&](Status s) {
                    status = std::move(s);
                    answered.Notify();
                  }));
  answered.Wait();
  return status;
}

}  // namespace

AdminClient::AdminClient(std::string address)
    : address_(std::move(address)),
      transport_(MakeGrpcTransport()),
      caller_(transport_->Connect(address_)),
      admin_(MakeAdminStub(caller_.get())) {}

AdminClient::~AdminClient() = default;

StatusOr<std::unique_ptr<AdminClient>> AdminClient::Connect(
    std::string address) {
  const std::string stripped(absl::StripPrefix(address, "grpc://"));
  MR_RETURN_IF_ERROR(HostPort::Parse(stripped).status());
  return std::unique_ptr<AdminClient>(new AdminClient(stripped));
}

Status AdminClient::Stop(const StopRequest& request) {
  StopReply reply;
  return CallAndWait(*admin_, &AdminApi::Stop, request, &reply);
}

StatusOr<ServerStatusReply> AdminClient::GetStatus(
    const ServerStatusRequest& request) {
  ServerStatusReply reply;
  MR_RETURN_IF_ERROR(
      CallAndWait(*admin_, &AdminApi::ServerStatus, request, &reply));
  return reply;
}

}  // namespace millrace
