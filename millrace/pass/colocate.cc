#include "millrace/pass/colocate.h"

#include "absl/strings/strip.h"
#include "millrace/pass/loop_frames.h"

namespace millrace {

NodeId ColocationGroups::Root(NodeId id) const {
  while (parent_[id] != id) {
    parent_[id] = parent_[parent_[id]];
    id = parent_[id];
  }
  return id;
}

void ColocationGroups::Union(NodeId a, NodeId b, const char* why) {
  const NodeId ra = Root(a);
  const NodeId rb = Root(b);
  if (ra == rb) return;
  joints_.push_back({a, b, why});
  // The older node becomes the root, so that growing a graph never changes a
  // group's root.
  parent_[std::max(ra, rb)] = std::min(ra, rb);
}

Status ColocationGroups::AddNodes(const Graph& graph, NodeId first) {
  parent_.reserve(graph.num_ids());
  for (NodeId id = static_cast<NodeId>(parent_.size()); id < graph.num_ids();
       ++id) {
    parent_.push_back(id);
  }
  for (NodeId id = first; id < graph.num_ids(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    if (const AttrValue* classes = node->attrs.Find("_class")) {
      if (const auto* names = classes->get<AttrValue::StringList>()) {
        for (absl::string_view name : *names) {
          if (!absl::ConsumePrefix(&name, "loc:@")) continue;
          const Node* other = graph.Find(name);
          if (other == nullptr) {
            return InvalidArgument(
                "node '", node->name,
                "' expects to be colocated with unknown node '", name, "'");
          }
          Union(other->id, id, "attribute _class");
        }
      }
    }
    for (int i = 0; i < node->num_inputs(); ++i) {
      const OutputRef in = node->inputs[i];
      if (in.node == kNoNode) continue;
      // A loop variable stays on one device: a receive in the place of its
      // Enter would wait for a second value in the second iteration.
      const OpRole from = graph.node(in.node)->op->role;
      if (node->op->role == OpRole::kMerge &&
          (from == OpRole::kEnter || from == OpRole::kNextIteration)) {
        Union(in.node, id, "loop variable");
        continue;
      }
      const DataType type = node->input_types[i];
      if (IsRef(type)) {
        Union(in.node, id, "reference edge");
      } else if (type == DataType::kResource) {
        Union(in.node, id, "resource edge");
      }
    }
  }
  return OkStatus();
}

std::vector<std::string> ColocationGroups::Reasons(const Graph& graph,
                                                   NodeId member) const {
  std::vector<std::string> lines;
  const NodeId root = Root(member);
  for (const Joint& j : joints_) {
    if (Root(j.a) != root) continue;
    lines.push_back(absl::StrCat(
        graph.node(j.a)->name, " (", graph.node(j.a)->op->name, ") - ",
        graph.node(j.b)->name, " (", graph.node(j.b)->op->name, "): ", j.why));
  }
  return lines;
}

}  // namespace millrace
