// MD5, where TensorFlow derives numbers from names by it. Not for secrets.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

// The digest of `text` as 32 lower-case hexadecimal digits.
std::string Md5Hex(absl::string_view text);

}  // namespace millrace
