// Names of tensors: "node", "node:port"; control inputs "^node".
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

// What stands after the last colon is a port if it is a number; the text
// without one is port 0. Never fails: whether there is such a node and port is
// for the caller to find out.
TensorName SplitTensorName(absl::string_view name);
// A feed or fetch of a client. INVALID_ARGUMENT for "", "^node" and ":0".
StatusOr<TensorName> ParseTensorName(absl::string_view name);
// "node:port".
std::string TensorNameText(absl::string_view node, int32_t port);
// The same, but "node" for port 0: as inputs stand in a GraphDef.
std::string ShortTensorNameText(absl::string_view node, int32_t port);

}  // namespace millrace
