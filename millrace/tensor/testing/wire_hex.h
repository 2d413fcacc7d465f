// Messages for tests, written as hexadecimal text.
#pragma once

#include <string>

#include "absl/strings/escaping.h"
#include "millrace/tensor/wire.h"

namespace millrace {

inline std::string Hex(absl::string_view hex) {
  return absl::HexStringToBytes(hex);
}

inline StatusOr<Tensor> Decode(absl::string_view bytes) {
  return DecodeTensor(bytes, HostAllocator());
}

}  // namespace millrace
