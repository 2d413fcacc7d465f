// Converts statuses, deadlines and addresses to and from gRPC's forms.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/support/status.h>

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/clock.h"
#include "millrace/base/status.h"

namespace millrace {

// The trailing header that our servers add to statuses returned by a handler:
// an UNAVAILABLE without it comes from gRPC and is about the connection.
inline constexpr char kHandlerStatusHeader[] = "millrace-status";

// Whether a status is sent with its payloads, the derived mark among them, in
// the form that stock servers use.
enum class Payloads { kLeftOut, kSent };
// Truncates the message to what a header may hold.
grpc::Status ToGrpcStatus(const Status& status, Payloads payloads);
Status FromGrpcStatus(const grpc::Status& status);

gpr_timespec ToTimespec(Deadline deadline);
Deadline FromTimespec(gpr_timespec time);

// Returns "ipv4:127.0.0.1:80" and "ipv6:%5B::1%5D:80" without scheme and
// escapes.
std::string PeerAddress(const std::string& uri);
// Returns the target with which a channel to `address` is created; literal
// addresses need no DNS.
std::string ChannelTarget(const std::string& address);

}  // namespace millrace
