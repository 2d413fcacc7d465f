#include "millrace/graph/tensor_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace millrace {

TensorName SplitTensorName(absl::string_view name) {
  size_t i = name.size();
  while (i > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[i - 1])))
    --i;
  int32_t port = 0;
  if (i < 2 || i == name.size() || name[i - 1] != ':' ||
      !absl::SimpleAtoi(name.substr(i), &port)) {
    return {name, 0};
  }
  return {name.substr(0, i - 1), port};
}

StatusOr<TensorName> ParseTensorName(absl::string_view name) {
  const TensorName split = SplitTensorName(name);
  if (split.node.empty() || split.node[0] == '^' || split.node[0] == ':') {
    return InvalidArgument("Malformed tensor name '", name,
                           "'; expected 'node' or 'node:port'");
  }
  return split;
}

std::string TensorNameText(absl::string_view node, int32_t port) {
  return absl::StrCat(node, ":", port);
}

std::string ShortTensorNameText(absl::string_view node, int32_t port) {
  return port == 0 ? std::string(node) : TensorNameText(node, port);
}

}  // namespace millrace
