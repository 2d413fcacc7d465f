#include "millrace/rpc/grpc/wire_status.h"

#include <arpa/inet.h>

#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

// Percent-encoded, a byte that is not plain ASCII takes three bytes of the
// header, and a client's headers have 8 KB in all.
constexpr size_t kMaxEncodedMessage = 5000;
constexpr absl::string_view kCutMark = " [...]";

// Marks a derived status between stock servers; only its presence counts.
constexpr char kStockDerived[] = "type.googleapis.com/tensorflow.DerivedStatus";

size_t EncodedSize(char c) { return c >= ' ' && c <= '~' && c != '%' ? 1 : 3; }

std::string CutToHeader(absl::string_view message) {
  size_t encoded = 0;
  size_t end = 0;
  for (; end < message.size() && encoded <= kMaxEncodedMessage; ++end) {
    encoded += EncodedSize(message[end]);
  }
  if (encoded <= kMaxEncodedMessage) return std::string(message);
  // Does not cut inside a character: continuation bytes of UTF-8 are 10xxxxxx.
  while (end > 0 && (static_cast<uint8_t>(message[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat(message.substr(0, end), kCutMark);
}

// GrpcPayloadContainer (proto/service/status_payloads.proto): a map.
std::string EncodePayloads(const Status& status) {
  ChunkWriter out;
  const auto entry = [&](absl::string_view key, absl::string_view value) {
    ChunkWriter nested;
    nested.BytesField(1, key);
    nested.BytesField(2, value);
    out.NestedField(1, std::move(nested));
  };
  const bool derived = IsDerived(status);
  if (derived) entry(kStockDerived, "");
  // The derived mark is a payload of our own, which no other program knows.
  const Status plain(status.code(), "");
  const Status marked = MarkDerived(plain);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    if (!derived || !marked.GetPayload(url)) entry(url, std::string(value));
  });
  return std::move(out).Finish().Flatten();
}

// Malformed details are no reason to lose the status.
Status WithPayloads(Status status, absl::string_view details) {
  ChunkReader in(details);
  bool derived = false;
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) break;
    ChunkReader nested;
    if (!tag.Is(1, WireType::kBytes)) {
      if (!in.SkipField(tag)) break;
      continue;
    }
    if (!in.ReadBytes(&nested)) break;
    std::string key, value;
    bool good = true;
    while (good && !nested.done()) {
      good = nested.ReadTag(&tag);
      if (good && tag.Is(1, WireType::kBytes)) {
        good = nested.ReadString(&key);
      } else if (good && tag.Is(2, WireType::kBytes)) {
        good = nested.ReadString(&value);
      } else if (good) {
        good = nested.SkipField(tag);
      }
    }
    if (!good) break;
    if (key == kStockDerived) {
      derived = true;
    } else if (!key.empty()) {
      status.SetPayload(key, absl::Cord(value));
    }
  }
  return derived ? MarkDerived(status) : status;
}

}  // namespace

grpc::Status ToGrpcStatus(const Status& status, Payloads payloads) {
  if (status.ok()) return grpc::Status();
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()),
      CutToHeader(status.message()),
      payloads == Payloads::kSent ? EncodePayloads(status) : "");
}

Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  const int code = status.error_code();
  // A peer may send any number.
  const Status plain(code > 0 && code <= 16 ? static_cast<StatusCode>(code)
                                            : StatusCode::kUnknown,
                     status.error_message());
  if (status.error_details().empty()) return plain;
  return WithPayloads(plain, status.error_details());
}

gpr_timespec ToTimespec(Deadline deadline) {
  if (deadline.infinite()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(
      gpr_now(GPR_CLOCK_MONOTONIC),
      gpr_time_from_nanos(deadline.remaining_nanos(), GPR_TIMESPAN));
}

Deadline FromTimespec(gpr_timespec time) {
  const gpr_timespec at = gpr_convert_clock_type(time, GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(at, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) return {};
  const gpr_timespec left = gpr_time_sub(at, gpr_now(GPR_CLOCK_MONOTONIC));
  constexpr int64_t kFarSeconds = int64_t{1} << 32;
  if (left.tv_sec > kFarSeconds) return {};
  if (left.tv_sec < -kFarSeconds) return Deadline::At(0);
  return Deadline::After(left.tv_sec * 1'000'000'000 + left.tv_nsec);
}

std::string PeerAddress(const std::string& uri) {
  absl::string_view rest = uri;
  for (const absl::string_view scheme : {"ipv4:", "ipv6:"}) {
    if (absl::StartsWith(rest, scheme)) {
      rest.remove_prefix(scheme.size());
      break;
    }
  }
  return absl::StrReplaceAll(
      rest, {{"%5B", "["}, {"%5D", "]"}, {"%5b", "["}, {"%5d", "]"}});
}

std::string ChannelTarget(const std::string& address) {
  if (absl::StartsWith(address, "unix:")) return address;
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return absl::StrCat("dns:///", address);
  std::string host = address.substr(0, colon);
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return absl::StrCat("ipv4:", address);
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    in6_addr v6;
    if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6) == 1)
      return absl::StrCat("ipv6:", address);
  }
  return absl::StrCat("dns:///", address);
}

}  // namespace millrace
