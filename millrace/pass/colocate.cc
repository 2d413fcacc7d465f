#include "millrace/pass/colocate.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

Status ColocationGroups::Union(const Joint& joint, OnJoin on_join) {
  const NodeId ra = Root(joint.a);
  const NodeId rb = Root(joint.b);
  if (ra == rb) return OkStatus();
  joints_.push_back(joint);
  parent_[std::max(ra, rb)] = std::min(ra, rb);
  return on_join(joint, ra, rb);
}

Status ColocationGroups::JoinByEdges(const Node& node, OnJoin on_join) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const NodeId from = node.inputs[i].node;
    if (from == kNoNode) continue;
    const DataType type = node.input_types[i];
    if (!IsRef(type) && type != DataType::kResource) continue;
    Joint joint{from, node.id, IsRef(type) ? "reference edge" : "resource edge",
                true};
    // What comes back in a loop follows what entered.
    if (from > node.id) std::swap(joint.a, joint.b);
    MR_RETURN_IF_ERROR(Union(joint, on_join));
  }
  return OkStatus();
}

Status ColocationGroups::JoinByRules(const Graph& graph, const Node& node,
                                     OnJoin on_join) {
  if (const AttrValue* classes = node.attrs.Find("_class")) {
    if (const auto* names = classes->get<AttrValue::StringList>()) {
      for (absl::string_view name : *names) {
        if (!absl::ConsumePrefix(&name, "loc:@")) continue;
        const Node* other = graph.Find(name);
        if (other == nullptr) {
          return InvalidArgument(
              "node '", node.name,
              "' expects to be colocated with unknown node '", name, "'");
        }
        MR_RETURN_IF_ERROR(
            Union({other->id, node.id, "attribute _class", false}, on_join));
      }
    }
  }
  if (node.op->role != OpRole::kMerge) return OkStatus();
  for (const OutputRef& in : node.inputs) {
    if (in.node == kNoNode) continue;
    // A loop variable stays on one device: a receive in the place of its
    // Enter would wait for a second value in the second iteration.
    const OpRole from = graph.node(in.node)->op->role;
    if (from == OpRole::kEnter || from == OpRole::kNextIteration) {
      MR_RETURN_IF_ERROR(
          Union({in.node, node.id, "loop variable", false}, on_join));
    }
  }
  return OkStatus();
}

Status ColocationGroups::AddNodes(const Graph& graph, OnJoin on_join) {
  parent_.resize(graph.num_ids());
  std::iota(parent_.begin(), parent_.end(), NodeId{0});
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (const Node* node = graph.node(id))
      MR_RETURN_IF_ERROR(JoinByEdges(*node, on_join));
  }
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (const Node* node = graph.node(id))
      MR_RETURN_IF_ERROR(JoinByRules(graph, *node, on_join));
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
