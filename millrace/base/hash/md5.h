// MD5, for the numbers that TensorFlow derives from names. Not for secrets.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

// Returns the digest of `text` as 32 lower-case hexadecimal digits.
std::string Md5Hex(absl::string_view text);

}  // namespace millrace
