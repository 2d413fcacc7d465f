#include "millrace/pass/run_signature.h"

#include "absl/strings/numbers.h"

namespace millrace {

StatusOr<TensorName> ParseTensorName(absl::string_view name) {
  TensorName parsed;
  const size_t colon = name.rfind(':');
  if (colon == name.npos) {
    parsed.node = std::string(name);
    return parsed;
  }
  if (!absl::SimpleAtoi(name.substr(colon + 1), &parsed.port) || parsed.port < 0) {
    return InvalidArgument("'", name, "' is not a tensor name; expected node:port");
  }
  parsed.node = std::string(name.substr(0, colon));
  return parsed;
}

StatusOr<OutputRef> FindOutput(const Graph& graph, absl::string_view name,
                               absl::string_view role) {
  MR_ASSIGN(const TensorName parsed, ParseTensorName(name));
  const Node* node = graph.Find(parsed.node);
  if (node == nullptr) return NotFound(role, " node ", parsed.node, ": not found");
  if (parsed.port >= node->num_outputs()) {
    return InvalidArgument(role, " ", name, ": output index too large, must be < ",
                           node->num_outputs());
  }
  return OutputRef{node->id, parsed.port};
}

}  // namespace millrace
