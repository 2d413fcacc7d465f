// Parses and formats names of tensors: "node", "node:port"; control inputs
// "^node".
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Output `port` of `node`; views the text that it was split from.
struct TensorName {
  absl::string_view node;
  int32_t port = 0;
};

// Splits at the last colon if a number, the port, follows it; otherwise the
// port is 0. Never fails: the caller checks whether there is such a node and
// port.
TensorName SplitTensorName(absl::string_view name);
// Parses a client's feed or fetch. Returns INVALID_ARGUMENT for "", "^node" and
// ":0".
StatusOr<TensorName> ParseTensorName(absl::string_view name);
// Returns "node:port".
std::string TensorNameText(absl::string_view node, int32_t port);
// Returns the same, but "node" for port 0, the form of inputs in a GraphDef.
std::string ShortTensorNameText(absl::string_view node, int32_t port);

}  // namespace millrace
