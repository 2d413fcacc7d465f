// Variant tensors in data files: of each element the length of its
// VariantTensorDataProto as a varint, the message, and 4 bytes of masked
// CRC-32C of all before. The checksums cover each length as its 8 little-endian
// bytes.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Calls `write` for the pieces of an element. `*crc` is the unmasked checksum
// of all before, and becomes that of all up to here. Returns INVALID_ARGUMENT
// for values that do not leave their process.
Status WriteVariantElement(const VariantElement& element, uint32_t* crc,
                           absl::FunctionRef<Status(absl::string_view)> write);

// Fills `elements` from the stored bytes and compares the checksums
// (`masked_crc` is the entry's). Returns DATA_LOSS if they differ or the
// lengths do not fit.
Status ReadVariantElements(absl::string_view stored, uint32_t masked_crc,
                           Allocator* allocator,
                           absl::Span<VariantElement> elements);

}  // namespace millrace
