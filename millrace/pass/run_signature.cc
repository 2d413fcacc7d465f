#include "millrace/pass/run_signature.h"

namespace millrace {

StatusOr<OutputRef> FindOutput(const Graph& graph, absl::string_view name,
                               absl::string_view role) {
  MR_ASSIGN_OR_RETURN(const TensorName parsed, ParseTensorName(name));
  const Node* node = graph.Find(parsed.node);
  if (node == nullptr)
    return NotFound(role, " node ", parsed.node, ": not found");
  if (parsed.port >= node->num_outputs()) {
    return InvalidArgument(role, " ", name,
                           ": output index too large, must be < ",
                           node->num_outputs());
  }
  return OutputRef{node->id, parsed.port};
}

}  // namespace millrace
