#include "millrace/rpc/bulk/frame.h"

#include <string>

#include "millrace/base/coding.h"

namespace millrace {
namespace {

constexpr uint32_t kMagic = 0x3142524d;  // "MRB1"
constexpr size_t kBigChunkBytes = 1024;

}  // namespace

void EncodeFrameHeader(const FrameHeader& header, char* to) {
  StoreFixed<uint32_t>(to, kMagic);
  to[4] = static_cast<char>(header.kind);
  to[5] = static_cast<char>(header.method);
  to[6] = static_cast<char>(header.lead);
  to[7] = 0;
  StoreFixed<uint64_t>(to + 8, header.call);
  StoreFixed<int64_t>(to + 16, header.aux);
  StoreFixed<uint64_t>(to + 24, header.size);
}

StatusOr<FrameHeader> DecodeFrameHeader(const char* from) {
  FrameHeader header;
  const auto kind = static_cast<uint8_t>(from[4]);
  header.kind = static_cast<FrameKind>(kind);
  header.method = static_cast<uint8_t>(from[5]);
  header.lead = static_cast<uint8_t>(from[6]);
  header.call = LoadFixed<uint64_t>(from + 8);
  header.aux = LoadFixed<int64_t>(from + 16);
  header.size = LoadFixed<uint64_t>(from + 24);
  if (LoadFixed<uint32_t>(from) != kMagic ||
      kind < static_cast<uint8_t>(FrameKind::kOpen) ||
      kind > static_cast<uint8_t>(FrameKind::kCancel) || from[7] != 0 ||
      header.lead >= kPayloadAlignment || header.size > kMaxPayloadBytes) {
    return InvalidArgument("not a frame of Millrace's bulk protocol");
  }
  return header;
}

uint8_t PayloadLead(const ByteChunks& payload) {
  size_t before = 0;
  for (const Chunk& chunk : payload.chunks()) {
    if (chunk.owner && chunk.bytes.size() >= kBigChunkBytes) break;
    before += chunk.bytes.size();
  }
  return static_cast<uint8_t>(before % kPayloadAlignment);
}

std::string EncodeStatus(const Status& status) {
  std::string out;
  PutLengthPrefixed(&out, status.message());
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    PutLengthPrefixed(&out, url);
    PutLengthPrefixed(&out, std::string(value));
  });
  return out;
}

Status DecodeStatus(int64_t code, const std::string& payload) {
  absl::string_view in = payload;
  absl::string_view message;
  if (code < 1 || code > 16 || !GetLengthPrefixed(&in, &message)) {
    return DataLoss("a bulk reply with an unreadable status");
  }
  Status status(static_cast<StatusCode>(code), message);
  absl::string_view url, value;
  while (GetLengthPrefixed(&in, &url) && GetLengthPrefixed(&in, &value)) {
    status.SetPayload(url, absl::Cord(value));
  }
  return status;
}

}  // namespace millrace
