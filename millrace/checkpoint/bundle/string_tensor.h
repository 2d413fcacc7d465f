// String tensors in data files: all lengths as varints, 4 bytes of masked
// CRC-32C of the lengths, then all bytes. The checksums cover each length as
// its 4 little-endian bytes (8 if it is over 2^32-1).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Returns the part before the strings' bytes, and sets `*crc` to the unmasked
// checksum so far; extended by the bytes and masked it is the entry's.
std::string EncodeStringHeader(absl::Span<const StringElement> strings,
                               uint32_t* crc);

// Fills `strings` from the stored bytes and compares the checksums
// (`masked_crc` is the entry's). Returns DATA_LOSS if they differ or the bytes
// are malformed.
Status DecodeStrings(absl::string_view stored, uint32_t masked_crc,
                     absl::Span<StringElement> strings);

}  // namespace millrace
