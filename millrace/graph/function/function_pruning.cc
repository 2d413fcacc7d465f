#include "millrace/graph/function/function_pruning.h"

#include <vector>

namespace millrace {
namespace {

bool MustRun(const OpDef& op) {
  return IsBoundary(op.role) || op.Is(kStateful) || op.Is(kChecks) ||
         op.Is(kChangesInput);
}

}  // namespace

void DropUnread(
    absl::Span<const std::pair<std::string, std::string>> control_ret,
    Graph* body) {
  std::vector<bool> needed(static_cast<size_t>(body->num_ids()));
  std::vector<NodeId> queue;
  const auto need = [&](NodeId id) {
    if (id == kNoNode || needed[static_cast<size_t>(id)]) return;
    needed[static_cast<size_t>(id)] = true;
    queue.push_back(id);
  };
  for (NodeId id = 0; id < body->num_ids(); ++id) {
    const Node* node = body->node(id);
    if (node != nullptr && MustRun(*node->op)) need(id);
  }
  for (const auto& [output, name] : control_ret) {
    if (const Node* node = body->Find(name)) need(node->id);
  }
  while (!queue.empty()) {
    const Node& node = *body->node(queue.back());
    queue.pop_back();
    for (const OutputRef& in : node.inputs) need(in.node);
    for (NodeId control : node.control_inputs) need(control);
  }
  std::vector<NodeId> unread;
  for (NodeId id = 0; id < body->num_ids(); ++id) {
    if (body->node(id) != nullptr && !needed[static_cast<size_t>(id)])
      unread.push_back(id);
  }
  body->RemoveNodes(unread);
}

}  // namespace millrace
