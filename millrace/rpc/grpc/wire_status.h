// Statuses, deadlines and addresses as gRPC writes them.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/support/status.h>

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/clock.h"
#include "millrace/base/status.h"

namespace millrace {

// The trailing header with which our servers mark the statuses that a handler
// gave: an UNAVAILABLE without it comes from gRPC and means the connection.
inline constexpr char kHandlerStatusHeader[] = "millrace-status";

// Whether payloads travel too, the derived mark among them, in the form that
// stock servers use.
enum class Payloads { kLeftOut, kSent };
// The message is cut to what a header may hold.
grpc::Status ToGrpcStatus(const Status& status, Payloads payloads);
Status FromGrpcStatus(const grpc::Status& status);

gpr_timespec ToTimespec(Deadline deadline);
Deadline FromTimespec(gpr_timespec time);

// "ipv4:127.0.0.1:80" and "ipv6:%5B::1%5D:80" without scheme and escapes.
std::string PeerAddress(const std::string& uri);
// What a channel to `address` is created with; literal addresses need no DNS.
std::string ChannelTarget(const std::string& address);

}  // namespace millrace
