// String tensors in data files: all lengths as varints, 4 bytes of masked
// CRC-32C of the lengths, then all bytes. The checksums take each length as
// its 4 little-endian bytes (8 where it is over 2^32-1).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The part before the strings' bytes. `crc` becomes the unmasked checksum so
// far; extended by the bytes and masked it is the entry's.
std::string EncodeStringHeader(absl::Span<const StringElement> strings,
                               uint32_t* crc);

// Fills `strings` from the stored bytes and compares the checksums
// (`masked_crc`: the entry's). DATA_LOSS.
Status DecodeStrings(absl::string_view stored, uint32_t masked_crc,
                     absl::Span<StringElement> strings);

}  // namespace millrace
