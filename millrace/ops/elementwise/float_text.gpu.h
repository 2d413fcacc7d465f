// FloatText: numbers of attributes in texts for GPUs.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace millrace::ops {

// Returns an expression of type float with the bits of `x`, whatever it is.
inline std::string FloatText(float x) {
  return absl::StrCat("BitCast<float>(0x",
                      absl::Hex(std::bit_cast<uint32_t>(x)), "u)");
}

}  // namespace millrace::ops
