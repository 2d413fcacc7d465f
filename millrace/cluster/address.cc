#include "millrace/cluster/address.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace millrace {

StatusOr<HostPort> HostPort::Parse(absl::string_view address) {
  const auto bad = [&](absl::string_view why) {
    return InvalidArgument("Not an address: '", address, "' ", why,
                           "; expected host:port");
  };
  HostPort result;
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return bad("has no port");
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) {
    if (!absl::ConsumeSuffix(&host, "]")) return bad("lacks a ]");
  } else if (absl::StrContains(host, ':')) {
    return bad("has a host with colons and without brackets");
  }
  if (host.empty()) return bad("has no host");
  if (!absl::SimpleAtoi(address.substr(colon + 1), &result.port) ||
      result.port < 0 || result.port > 65535) {
    return bad("has no port from 0 to 65535");
  }
  result.host = std::string(host);
  return result;
}

std::string HostPort::ToString() const {
  return absl::StrContains(host, ':') ? absl::StrCat("[", host, "]:", port)
                                      : absl::StrCat(host, ":", port);
}

bool IsLoopback(absl::string_view host) {
  return host == "localhost" || host == "::1" || absl::StartsWith(host, "127.");
}

bool IsAnyHost(absl::string_view host) {
  return host.empty() || host == "0.0.0.0" || host == "::" || host == "*";
}

}  // namespace millrace
