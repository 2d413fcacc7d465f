// Frames: the messages of a bulk connection. A frame is a header of fixed size
// and then the payload; numbers are little-endian.
//
//   0 u32  "MRB1"         8 u64  number of the call
//   4 u8   kind          16 i64  Call: nanoseconds left, -1: no deadline
//   5 u8   method                Reply: status code; Cancel: why
//   6 u8   lead          24 u64  bytes of the payload
//   7 u8   0
//
// `lead` is the number of payload bytes, modulo 64, before the first large
// chunk: the receiver places the payload so that this chunk, usually a tensor,
// is aligned and need not be copied.
#pragma once

#include <cstdint>

#include "millrace/base/status.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

enum class FrameKind : uint8_t {
  kOpen = 1,    // from the caller, first; payload: the token of Hello
  kOpened = 2,  // the answer
  kCall = 3,    // payload: the request
  kReply = 4,   // payload: the reply, or the output of EncodeStatus
  kCancel = 5,  // the caller no longer waits
};

struct FrameHeader {
  // `aux` of kCancel.
  static constexpr int64_t kGaveUp = 0;
  static constexpr int64_t kTimedOut = 1;

  FrameKind kind = FrameKind::kOpen;
  uint8_t method = 0;
  uint8_t lead = 0;
  uint64_t call = 0;
  int64_t aux = 0;
  uint64_t size = 0;
};

inline constexpr size_t kFrameHeaderBytes = 32;
inline constexpr size_t kPayloadAlignment = 64;
inline constexpr size_t kMaxPayloadBytes = size_t{1} << 40;

// Writes kFrameHeaderBytes bytes to `to`.
void EncodeFrameHeader(const FrameHeader& header, char* to);
// Reads kFrameHeaderBytes bytes. Returns INVALID_ARGUMENT if they are not a
// header.
StatusOr<FrameHeader> DecodeFrameHeader(const char* from);
// Returns `lead` for a payload, as described above.
uint8_t PayloadLead(const ByteChunks& payload);

// Encodes a status that is not OK, with its derived mark; the code travels in
// the header.
std::string EncodeStatus(const Status& status);
Status DecodeStatus(int64_t code, const std::string& payload);

}  // namespace millrace
