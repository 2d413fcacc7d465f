// grpc.health.v1.Health, after gRPC's health checking protocol
// (github.com/grpc/grpc/blob/master/doc/health-checking.md).
#include <algorithm>
#include <utility>

#include "millrace/rpc/grpc/local_method.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

enum ServingStatus { kServing = 1, kNotServing = 2, kServiceUnknown = 3 };

// HealthCheckResponse: 1 status.
std::string Response(ServingStatus status) {
  return {'\x08', static_cast<char>(status)};
}

// HealthCheckRequest: 1 service.
StatusOr<std::string> RequestedService(const std::string& request) {
  ChunkReader in(request);
  std::string service;
  while (!in.done()) {
    FieldTag tag;
    const bool good = in.ReadTag(&tag) &&
                      (tag.Is(1, WireType::kBytes) ? in.ReadString(&service)
                                                   : in.SkipField(tag));
    if (!good) return InvalidArgument("malformed HealthCheckRequest");
  }
  return service;
}

class Health final : public LocalMethod {
 public:
  Health(Form form, std::vector<std::string> services)
      : form_(form), services_(std::move(services)) {}

  Form form() const override { return form_; }

  StatusOr<std::string> Answer(const std::string& request) const override {
    MR_ASSIGN_OR_RETURN(const std::string service, RequestedService(request));
    // "" is the server as a whole.
    const bool known = service.empty() ||
                       std::find(services_.begin(), services_.end(), service) !=
                           services_.end();
    if (known) return Response(kServing);
    if (form_ == Form::kWatched) return Response(kServiceUnknown);
    return NotFound("this server does not offer ", service);
  }

  std::string LastMessage() const override { return Response(kNotServing); }

 private:
  const Form form_;
  const std::vector<std::string> services_;
};

}  // namespace

void AddHealth(const std::vector<std::string>& services,
               LocalMethods* methods) {
  (*methods)["/grpc.health.v1.Health/Check"] =
      std::make_unique<Health>(LocalMethod::Form::kUnary, services);
  (*methods)["/grpc.health.v1.Health/Watch"] =
      std::make_unique<Health>(LocalMethod::Form::kWatched, services);
}

}  // namespace millrace
