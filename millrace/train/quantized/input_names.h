// Names of nodes' inputs: "node", "node:port", and "^node" for one that is only
// waited for.
#pragma once

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "millrace/graph/tensor_name.h"

namespace millrace::train {

inline bool IsControlInput(absl::string_view input) {
  return absl::StartsWith(input, "^");
}
// Returns the node of an input.
inline std::string NodeOfInput(absl::string_view input) {
  return std::string(IsControlInput(input) ? input.substr(1)
                                           : SplitTensorName(input).node);
}
// Returns a tensor's name in its shortest form: "x" for "x:0".
inline std::string ShortInputName(absl::string_view name) {
  const TensorName split = SplitTensorName(name);
  return ShortTensorNameText(split.node, split.port);
}

}  // namespace millrace::train
