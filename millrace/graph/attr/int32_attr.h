// Checks attributes that stock reads as 32-bit integers.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Returns INVALID_ARGUMENT, which names the attribute, if the value does not
// fit an int32.
inline Status CheckInt32Attr(absl::string_view name, int64_t value) {
  if (value >= std::numeric_limits<int32_t>::min() &&
      value <= std::numeric_limits<int32_t>::max()) {
    return OkStatus();
  }
  return InvalidArgument("Attr ", name, " has value ", value,
                         " out of range for an int32");
}

}  // namespace millrace
