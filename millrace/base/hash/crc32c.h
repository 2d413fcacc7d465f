// CRC-32C (Castagnoli, RFC 3720), by the processor's instruction where there
// is one, and the masking that record and bundle files store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace::crc32c {

// The checksum of A + data, given `crc`, the checksum of A.
uint32_t Extend(uint32_t crc, const char* data, size_t n);

inline uint32_t Value(const char* data, size_t n) { return Extend(0, data, n); }
inline uint32_t Value(absl::string_view data) {
  return Extend(0, data.data(), data.size());
}

inline constexpr uint32_t kMaskDelta = 0xa282ead8;

// A checksum of data that contains checksums is weak, so files store masked
// ones.
constexpr uint32_t Mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}

namespace internal {
// The plain way, for processors without the instruction and for tests.
uint32_t ExtendByTable(uint32_t crc, const char* data, size_t n);
}  // namespace internal

}  // namespace millrace::crc32c
