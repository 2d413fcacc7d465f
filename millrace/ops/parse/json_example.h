// Example messages as JSON: protocol buffers' mapping of
// https://protobuf.dev/programming-guides/json.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Appends the serialized message to `out`. INVALID_ARGUMENT with the place for
// what is no JSON, and for fields that an Example does not have.
Status EncodeJsonExample(absl::string_view json, std::string* out);

}  // namespace millrace::ops
