// CRC-32C (Castagnoli, RFC 3720), computed by the processor's instruction where
// it has one, and the masking of checksums in record and bundle files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace::crc32c {

// Returns the checksum of A + data, where `crc` is the checksum of A.
uint32_t Extend(uint32_t crc, const char* data, size_t n);

inline uint32_t Value(const char* data, size_t n) { return Extend(0, data, n); }
inline uint32_t Value(absl::string_view data) {
  return Extend(0, data.data(), data.size());
}

inline constexpr uint32_t kMaskDelta = 0xa282ead8;

// Masks a checksum for storage in a file: the checksum of data that contains
// checksums is weak.
constexpr uint32_t Mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}

namespace internal {
// Computes Extend with a table, for processors without the instruction and for
// tests.
uint32_t ExtendByTable(uint32_t crc, const char* data, size_t n);
}  // namespace internal

}  // namespace millrace::crc32c
