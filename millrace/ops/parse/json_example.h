// Converts Example messages from JSON by protocol buffers' mapping of
// https://protobuf.dev/programming-guides/json.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Appends the serialized message to `out`. Returns INVALID_ARGUMENT with the
// position for text that is not JSON, and for fields that an Example does not
// have.
Status EncodeJsonExample(absl::string_view json, std::string* out);

}  // namespace millrace::ops
